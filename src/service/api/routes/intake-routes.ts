import { filterKinds } from "../../intake/filters.ts";
import { lastDays } from "../../queries/period.ts";
import type {
  ApiKeyDetails,
  IntakeOperations,
  KeyBody,
  ScrubRuleBody,
  SpikeBody,
} from "../operations/intake-operations.ts";
import { type ApiOutcome, member, memberReads, ok, owner, type RoutesOf, unknown, viewer } from "../route.ts";
import type { AsJson } from "../schema/as-json.ts";
import {
  type ApiSchema,
  anyText,
  decimal,
  flag,
  list,
  named,
  oneOf,
  shape,
  text,
  time,
  whole,
} from "../schema/schema.ts";
import {
  filterSchema,
  queryFindingSchema,
  scrubRuleSchema,
  scrubTrialSchema,
  spansSchema,
  spikeSchema,
} from "./intake-schemas.ts";
import { byId, inIssue, inProject, listSchema, name } from "./shared-schemas.ts";

type IntakeRoutes = RoutesOf<IntakeOperations>;

const key: ApiSchema<AsJson<ApiKeyDetails>> = named(
  "KeyDetails",
  shape(
    {
      publicKey: anyText(),
      dsn: anyText("What a client of Sentry needs to send reports."),
      name: anyText(),
      isMain: flag(),
      isDisabled: flag(),
      origins: list(anyText()),
      refused: whole({ description: "Items and requests that were refused because of the key." }),
    },
    { createdAt: time(), perMinute: whole(), lastUsedAt: time() },
  ),
);

const keyBody: ApiSchema<KeyBody> = shape(
  { name, origins: list(text({ min: 1, max: 260 }), { max: 100, description: "Empty for every origin." }) },
  { perMinute: whole({ min: 1, description: "Items of each category in a minute." }) },
);

const ruleBody: ApiSchema<ScrubRuleBody> = shape({ path: text({ max: 500 }), expression: text({ max: 500 }) });

const spikeBody: ApiSchema<SpikeBody> = shape({ isOn: flag(), times: decimal({ min: 0 }), least: whole({ min: 0 }) });

const wanted = shape({
  q: { ...text({ max: 1_000, description: "In the filter language." }), default: "" },
  days: whole({ min: 1, max: 90, default: 1, description: "The last days." }),
});

/** What a project accepts, drops and takes out; tickets; spans. */
export const intakeRoutes: IntakeRoutes = {
  "GET /projects/{project}/keys": {
    summary: "Keys with which clients send reports, their limits and their last use.",
    needs: memberReads,
    params: inProject,
    response: listSchema(key),
    handle: async ({ api, params: { project }, consoleAddress }) =>
      ok({
        items: api.keys.of(project).map((one) => ({ ...one, dsn: dsnOf(one.publicKey, project, consoleAddress) })),
      }),
  },

  "GET /projects/{project}/limit": {
    summary: "Items of each category that all keys together may send in a minute. Absent for no limit of its own.",
    needs: memberReads,
    params: inProject,
    response: shape({}, { perMinute: whole() }),
    handle: async ({ api, params: { project } }) => ok({ perMinute: api.keys.perMinute(project) }),
  },

  "PUT /projects/{project}/limit": {
    summary: "Changes the limit of the project. Without `perMinute`, it has none of its own.",
    needs: owner,
    params: inProject,
    body: shape({}, { perMinute: whole({ min: 1 }) }),
    async handle({ api, person, params: { project }, body }) {
      const problem = await api.keys.changePerMinute(project, body.perMinute, person.name);
      return problem === undefined ? { kind: "done" } : { kind: "invalid", path: "/perMinute", why: problem };
    },
  },

  "POST /projects/{project}/keys": {
    summary: "Adds a key.",
    needs: owner,
    params: inProject,
    body: keyBody,
    response: shape({ publicKey: anyText(), dsn: anyText() }),
    async handle({ api, person, params: { project }, body, consoleAddress }) {
      const added = await api.keys.add(project, { ...body, perMinute: body.perMinute }, person.name);
      if (added.kind === "refused") return refused(added.problems);
      if (added.kind === "unknown") return unknown("key");
      const { publicKey } = added;
      return { kind: "created", body: { publicKey, dsn: dsnOf(publicKey, project, consoleAddress) } };
    },
  },

  "PUT /projects/{project}/keys/{id}": {
    summary: "Changes name, limit and origins of a key.",
    needs: owner,
    params: byId,
    body: keyBody,
    async handle({ api, person, params: { project, id }, body }) {
      const changed = await api.keys.change(project, id, { ...body, perMinute: body.perMinute }, person.name);
      if (changed.kind === "refused") return refused(changed.problems);
      return changed.kind === "unknown" ? unknown("key") : { kind: "done" };
    },
  },

  "POST /projects/{project}/keys/{id}/changes": {
    summary: "Disables, enables or removes a key, or makes it the main one.",
    needs: owner,
    params: byId,
    body: shape({ change: oneOf(["disable", "enable", "remove", "make-main"]) }),
    async handle({ api, person, params: { project, id }, body }) {
      const changed = await api.keys.step(project, id, body.change, person.name);
      if (changed.kind === "refused") return refused(changed.problems);
      return changed.kind === "unknown" ? unknown("key") : { kind: "done" };
    },
  },

  "GET /projects/{project}/filters": {
    summary: "Reports that the project does not want, and how many were dropped.",
    needs: memberReads,
    params: inProject,
    response: listSchema(filterSchema),
    handle: async ({ api, params: { project } }) => ok({ items: api.filters.of(project) }),
  },

  "POST /projects/{project}/filters": {
    summary: "Adds a filter. It holds within a second.",
    needs: owner,
    params: inProject,
    body: shape({ kind: oneOf(filterKinds), pattern: text({ max: 500 }) }),
    response: shape({ id: anyText() }),
    async handle({ api, person, params: { project }, body }) {
      const added = await api.filters.add(project, body, person.name);
      return added.kind === "refused"
        ? { kind: "invalid", path: "/pattern", why: added.why }
        : { kind: "created", body: { id: added.filter.id } };
    },
  },

  "DELETE /projects/{project}/filters/{id}": {
    summary: "Removes a filter.",
    needs: owner,
    params: byId,
    handle: async ({ api, person, params: { project, id } }) =>
      (await api.filters.remove(project, id, person.name)) ? { kind: "done" } : unknown("filter"),
  },

  "GET /projects/{project}/scrub-rules": {
    summary: "What the project takes out of its reports.",
    needs: memberReads,
    params: inProject,
    response: listSchema(scrubRuleSchema),
    handle: async ({ api, params: { project } }) => ok({ items: api.scrubRules.of(project) }),
  },

  "POST /projects/{project}/scrub-rules": {
    summary: "Adds a rule. It holds within a second, for what is filed from then on.",
    needs: owner,
    params: inProject,
    body: ruleBody,
    response: shape({ id: anyText() }),
    async handle({ api, person, params: { project }, body }) {
      const added = await api.scrubRules.add(project, body, person.name);
      return added.kind === "refused" ? refused(added.problems) : { kind: "created", body: { id: added.rule.id } };
    },
  },

  "POST /projects/{project}/scrub-rules/trial": {
    summary: "What a rule would take out of the newest events. Nothing is changed.",
    needs: member,
    params: inProject,
    body: ruleBody,
    response: listSchema(scrubTrialSchema),
    async handle({ api, params: { project }, body }) {
      const tried = await api.scrubRules.try(project, body);
      return tried.kind === "refused" ? refused(tried.problems) : ok({ items: tried.events });
    },
  },

  "DELETE /projects/{project}/scrub-rules/{id}": {
    summary: "Removes a rule.",
    needs: owner,
    params: byId,
    handle: async ({ api, person, params: { project, id } }) =>
      (await api.scrubRules.remove(project, id, person.name)) ? { kind: "done" } : unknown("rule"),
  },

  "GET /projects/{project}/spikes": {
    summary: "Rules of the protection against spikes, and the last spike of a day.",
    needs: viewer,
    params: inProject,
    response: shape({ rules: spikeBody }, { recent: spikeSchema }),
    handle: async ({ api, params: { project } }) =>
      ok({ rules: api.spikes.rulesOf(project), recent: api.spikes.recent(project) }),
  },

  "PUT /projects/{project}/spikes": {
    summary: "Changes the rules of the protection against spikes.",
    needs: owner,
    params: inProject,
    body: spikeBody,
    handle: async ({ api, person, params: { project }, body }) => {
      const problems = await api.spikes.change(project, body, person.name);
      return Object.keys(problems).length === 0 ? { kind: "done" } : refused(problems);
    },
  },

  "POST /projects/{project}/issues/{number}/ticket": {
    summary: "Keeps the address of a ticket on an issue. Without one, it is forgotten.",
    needs: member,
    params: inIssue,
    body: shape({}, { address: text({ min: 1, max: 2_000 }) }),
    async handle({ api, person, params: { project, number }, body }) {
      if ((await api.issue(project, number, lastDays(1, api.now()))) === undefined) return unknown("issue");
      const problem = await api.tickets.keep(project, number, body.address, person.name);
      return problem === undefined ? { kind: "done" } : { kind: "invalid", path: "/address", why: problem };
    },
  },

  "GET /projects/{project}/spans": {
    summary: "Spans of the newest traces of each route, by a filter: groups that take most time, and examples.",
    needs: viewer,
    params: inProject,
    query: wanted,
    response: spansSchema,
    handle: async ({ api, params: { project }, query: { q, days } }) =>
      ok(await api.spans({ project, filter: q, period: lastDays(days, api.now()) })),
  },

  "GET /projects/{project}/slow-queries": {
    summary: "Queries that a route repeats or that take long.",
    needs: viewer,
    params: inProject,
    query: wanted,
    response: listSchema(queryFindingSchema),
    handle: async ({ api, params: { project }, query: { q, days } }) =>
      ok({ items: await api.slowQueries({ project, filter: q, period: lastDays(days, api.now()) }) }),
  },
};

/** Reports are accepted below the path of the console. */
function dsnOf(publicKey: string, project: number, consoleAddress: string): string {
  const dsn = new URL(`${consoleAddress}/${project}`);
  dsn.username = publicKey;
  return dsn.href;
}

function refused(problems: Readonly<Record<string, string>>): ApiOutcome<never> {
  const [[field, why] = ["", "It is not accepted."]] = Object.entries(problems);
  return { kind: "invalid", path: `/${field}`, why };
}
