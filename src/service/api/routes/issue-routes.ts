import { isAtLeast } from "../../accounts/people.ts";
import type { ConsoleApi, NumberedChange } from "../../console-api/console-api.ts";
import { readCursor } from "../../queries/issue-list.ts";
import { lastDays } from "../../queries/period.ts";
import { readNumbers, writeTimeCursor } from "../cursor.ts";
import type { ApiIssueChange, IssueOperations } from "../operations/issue-operations.ts";
import { type ApiOutcome, member, ok, type RoutesOf, unknown, viewer } from "../route.ts";
import { oneOf, shape, text } from "../schema/schema.ts";
import { eventSummarySchema, issueChangeSchema, issueDetailsSchema, issueSchema } from "./issue-schemas.ts";
import { changedCount, cursor, inIssue, inProject, limit, numbers, pageSchema } from "./shared-schemas.ts";

type IssueRoutes = RoutesOf<IssueOperations>;

export const wrongCursor = {
  kind: "invalid",
  path: "cursor",
  why: "It is not `next` of a page of this list.",
} as const;

export const issueRoutes: IssueRoutes = {
  "GET /projects/{project}/issues": {
    summary: "Issues that match a filter, for example `is:unresolved release:shop@2`.",
    needs: viewer,
    params: inProject,
    query: shape(
      {
        q: { ...text({ max: 1_000, description: "In the filter language of the search box." }), default: "" },
        sort: oneOf(["stuck", "last-seen", "first-seen", "events", "visitors"], { default: "last-seen" }),
        limit,
      },
      { cursor },
    ),
    response: pageSchema(issueSchema),
    async handle({ api, person, params: { project }, query }) {
      if (query.cursor !== undefined && readCursor(query.cursor) === undefined) return wrongCursor;
      const [problem] = await api.filterProblems(project, query.q);
      if (problem !== undefined) return { kind: "invalid", path: "q", why: problem };
      const { rows, next } = await api.issues({
        project,
        filter: api.searches.forPerson(query.q, person.name),
        sort: query.sort,
        limit: query.limit,
        period: lastDays(1, api.now()),
        ...(query.cursor !== undefined && { after: query.cursor }),
      });
      return ok({ items: rows, next });
    },
  },

  "POST /projects/{project}/issues/changes": {
    summary: "Changes several issues: resolve, mute, reopen, assign, ticket, comment, merge, split, undo.",
    needs: member,
    params: inProject,
    body: shape({ numbers, change: issueChangeSchema }),
    response: changedCount,
    async handle({ api, person, params: { project }, body }) {
      const problem = await problemOfChange(api, project, body.change);
      if (problem) return { ...problem, path: `/change${problem.path}` };
      const change = storedChange(body.change);
      return ok({ changed: await api.change(project, [...new Set(body.numbers)], change, person.name) });
    },
  },

  "GET /projects/{project}/issues/{number}": {
    summary: "One issue with its history, releases, distributions and similar issues.",
    needs: viewer,
    params: inIssue,
    response: issueDetailsSchema,
    async handle({ api, params: { project, number } }) {
      const found = await api.issue(project, number, lastDays(1, api.now()));
      return found === undefined ? unknown("issue") : ok(found);
    },
  },

  "POST /projects/{project}/issues/{number}/changes": {
    summary: "Changes one issue.",
    needs: member,
    params: inIssue,
    body: issueChangeSchema,
    response: issueSchema,
    async handle({ api, person, params: { project, number }, body }) {
      const period = lastDays(1, api.now());
      if ((await api.issue(project, number, period)) === undefined) return unknown("issue");
      const problem = await problemOfChange(api, project, body);
      if (problem) return problem;
      if ((await api.change(project, [number], storedChange(body), person.name)) === 0)
        return { kind: "conflict", why: "Nothing has changed: it is so already, or it is too late to undo it." };
      const after = await api.issue(project, number, period);
      return after === undefined ? unknown("issue") : ok(after.issue);
    },
  },

  "GET /projects/{project}/issues/{number}/events": {
    summary: "Events of an issue, newest first.",
    needs: viewer,
    params: inIssue,
    query: shape({ limit }, { cursor }),
    response: pageSchema(eventSummarySchema),
    async handle({ api, params: { project, number }, query }) {
      const [at, rowId] = query.cursor === undefined ? [] : (readNumbers(query.cursor) ?? []);
      if (query.cursor !== undefined && (at === undefined || rowId === undefined)) return wrongCursor;
      const events = await api.eventsOf(project, number, {
        limit: query.limit + 1,
        ...(at !== undefined && rowId !== undefined && { before: { at, rowId } }),
      });
      if (events === undefined) return unknown("issue");
      const items = events.slice(0, query.limit);
      const last = items.at(-1);
      const hasMore = events.length > items.length && last !== undefined;
      return ok({ items, ...(hasMore && { next: writeTimeCursor({ at: last.at, skip: last.rowId }) }) });
    },
  },
};

function storedChange(change: ApiIssueChange): NumberedChange {
  if (change.kind === "assign") return { kind: "assign", to: change.to };
  return change.kind === "ticket" ? { kind: "ticket", address: change.address } : change;
}

/** A service with accounts knows its people, so that an issue is assigned to none that does not exist. */
async function problemOfChange(
  api: ConsoleApi,
  project: number,
  change: ApiIssueChange,
): Promise<Extract<ApiOutcome<never>, { kind: "invalid" }> | undefined> {
  if (change.kind === "merge" && (await api.issue(project, change.intoNumber, lastDays(1, api.now()))) === undefined)
    return { kind: "invalid", path: "/intoNumber", why: "There is no such issue." };
  if (change.kind !== "assign" || change.to === undefined || api.access.kind !== "accounts") return undefined;
  const people = await api.access.accounts.membersOf(project);
  const isKnown = people.some(({ email, role }) => email === change.to && isAtLeast(role, "viewer"));
  return isKnown ? undefined : { kind: "invalid", path: "/to", why: "No person of this project has this address." };
}
