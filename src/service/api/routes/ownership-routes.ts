import type { OwnershipAnswer, OwnershipTrial, RuleOfIssue } from "../../console-api/ownership-api.ts";
import type { LineProblem } from "../../issues/ownership/ownership-rules.ts";
import { lastDays } from "../../queries/period.ts";
import type { OwnershipBody } from "../operations/ownership-operations.ts";
import { type ApiOutcome, memberReads, ok, owner, type Routes, unknown, viewer } from "../route.ts";
import type { AsJson } from "../schema/as-json.ts";
import { type ApiSchema, anyText, list, named, shape, text, whole } from "../schema/schema.ts";
import { inIssue, inProject, listSchema } from "./shared-schemas.ts";

type OwnershipRoutes = Pick<
  Routes,
  | "GET /projects/{project}/ownership"
  | "PUT /projects/{project}/ownership"
  | "POST /projects/{project}/ownership/trial"
  | "POST /projects/{project}/ownership/codeowners"
  | "GET /projects/{project}/issues/{number}/owner"
>;

const problem: ApiSchema<AsJson<LineProblem>> = named(
  "LineProblem",
  shape({ line: whole({ min: 1 }), why: anyText() }),
);

const answer: ApiSchema<AsJson<OwnershipAnswer>> = named(
  "Ownership",
  shape({
    rules: anyText("One rule in a line. Of those that match an event, the last one decides."),
    problems: list(problem, { description: "Lines that are no rule." }),
    strangers: list(problem, { description: "Lines that name people who are no members of the project." }),
  }),
);

/** The operator may allow longer ones. */
const body: ApiSchema<OwnershipBody> = shape({ rules: text({ max: 1_000_000 }) });

const ruleOfIssue: ApiSchema<AsJson<RuleOfIssue>> = named(
  "RuleOfIssue",
  shape({ rule: anyText(), line: whole({ min: 1 }) }, { to: anyText("The person who would get the issue.") }),
);

const trial: ApiSchema<AsJson<OwnershipTrial>> = named(
  "OwnershipTrial",
  shape({ number: whole({ min: 1 }), title: anyText() }, { assignee: anyText(), owner: ruleOfIssue }),
);

/** Who gets which issues. */
export const ownershipRoutes: OwnershipRoutes = {
  "GET /projects/{project}/ownership": {
    summary: "Ownership rules of the project, and what is wrong with them.",
    needs: memberReads,
    params: inProject,
    response: answer,
    handle: async ({ api, params: { project } }) => ok(await api.ownership.of(project)),
  },

  "PUT /projects/{project}/ownership": {
    summary: "Replaces the ownership rules. They hold within a second, for issues that are new or come back.",
    needs: owner,
    params: inProject,
    body,
    response: answer,
    async handle({ api, person, params: { project }, body: { rules } }) {
      const { kind, ...changed } = await api.ownership.change(project, rules, person.name);
      return kind === "refused" ? refusedLines(changed.problems) : ok(changed);
    },
  },

  "POST /projects/{project}/ownership/trial": {
    summary: "Which of the newest issues rules would decide about. Nothing is changed.",
    needs: memberReads,
    params: inProject,
    body,
    response: listSchema(trial),
    async handle({ api, params: { project }, body: { rules } }) {
      const tried = await api.ownership.try(project, rules);
      return tried.kind === "refused" ? refusedLines(tried.problems) : ok({ items: tried.issues });
    },
  },

  "POST /projects/{project}/ownership/codeowners": {
    summary: "The lines of a CODEOWNERS file as rules. Nothing is changed.",
    needs: memberReads,
    params: inProject,
    body: shape({ file: text({ max: 1_000_000 }) }),
    response: shape({ rules: anyText() }),
    handle: async ({ api, body: { file } }) => ok({ rules: api.ownership.fromCodeowners(file) }),
  },

  "GET /projects/{project}/issues/{number}/owner": {
    summary: "The ownership rule that decides about an issue by its newest event, and the person whom it names.",
    needs: viewer,
    params: inIssue,
    response: shape({}, { owner: ruleOfIssue }),
    async handle({ api, params: { project, number } }) {
      if ((await api.issue(project, number, lastDays(1, api.now()))) === undefined) return unknown("issue");
      return ok({ owner: await api.ownership.ruleOf(project, number) });
    },
  },
};

function refusedLines(problems: readonly LineProblem[]): ApiOutcome<never> {
  return { kind: "invalid", path: "/rules", why: problems.map(({ line, why }) => `Line ${line}: ${why}`).join(" ") };
}
