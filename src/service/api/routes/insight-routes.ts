import { lastDays } from "../../queries/period.ts";
import type { InsightOperations } from "../operations/insight-operations.ts";
import { ok, type RoutesOf, unknown, viewer } from "../route.ts";
import { anyText, oneOf, shape, table, text, whole } from "../schema/schema.ts";
import { afterErrorsSchema, balanceHourSchema, liveSchema, liveVisitorSchema } from "./insight-schemas.ts";
import { issueSchema, issueVisitorsSchema } from "./issue-schemas.ts";
import { overviewSchema } from "./overview-schemas.ts";
import { byId, inIssue, inProject, listSchema, numbers } from "./shared-schemas.ts";
import { segmentKindSchema } from "./trace-schemas.ts";
import {
  deploySchema,
  pageBudgetSchema,
  releaseComparisonSchema,
  routeExampleSchema,
  routeTrendSchema,
} from "./trend-schemas.ts";

type InsightRoutes = RoutesOf<InsightOperations>;

const releaseName = text({ min: 1, max: 250 });
const filter = { ...text({ max: 1_000, description: "In the filter language of the search box." }), default: "" };

/** What the screens of the console show beside lists and single things. */
export const insightRoutes: InsightRoutes = {
  "GET /projects/{project}/overview": {
    summary: "The last 24 hours beside the same hours of last week: errors, visitors, slower routes, new issues.",
    needs: viewer,
    params: inProject,
    response: overviewSchema,
    handle: async ({ api, params: { project } }) => ok(await api.overview(project)),
  },

  "GET /projects/{project}/live": {
    summary: "Events, pages and log lines that have arrived since the position of the last response.",
    needs: viewer,
    params: inProject,
    query: shape({}, { after: whole({ min: 0, description: "`after` of the response before." }), visitor: whole() }),
    response: liveSchema,
    handle: async ({ api, params: { project }, query: { after, visitor } }) =>
      ok(await api.live({ project, after, visitor })),
  },

  "GET /projects/{project}/issues/news": {
    summary: "How many events have arrived in the issues of a filter since a position of `live`.",
    needs: viewer,
    params: inProject,
    query: shape({ q: filter }, { after: whole({ min: 0 }) }),
    response: shape({ events: whole(), issues: whole() }),
    async handle({ api, person, params: { project }, query: { q, after } }) {
      const { records } = await api.live({ project, after });
      const came = records.filter((record) => record.kind === "event");
      if (came.length === 0) return ok({ events: 0, issues: 0 });
      const period = lastDays(1, api.now());
      const meant = api.searches.forPerson(q, person.name);
      const { rows } = await api.issues({ project, filter: meant, limit: newsAmong, period });
      const listed = new Set(rows.map(({ id }) => id));
      const here = came.filter(({ issue }) => listed.has(issue));
      return ok({ events: here.length, issues: new Set(here.map(({ issue }) => issue)).size });
    },
  },

  "GET /projects/{project}/issues/counts": {
    summary: "How many issues of a filter are open, regressed, resolved and muted, each up to 1,000.",
    needs: viewer,
    params: inProject,
    query: shape({ q: filter }),
    response: shape({ open: whole(), regressed: whole(), resolved: whole(), muted: whole() }),
    handle: async ({ api, person, params: { project }, query: { q } }) =>
      ok(await api.issueTabs(project, api.searches.forPerson(q, person.name))),
  },

  "GET /projects/{project}/issues/{number}/visitors": {
    summary: "Who met an issue.",
    needs: viewer,
    params: inIssue,
    query: shape({
      sort: oneOf(["last", "first", "events"], { default: "last" }),
      page: whole({ min: 1, max: 1_000, default: 1 }),
    }),
    response: issueVisitorsSchema,
    async handle({ api, params, query }) {
      const found = await api.issueVisitors({ ...params, ...query });
      return found === undefined ? unknown("issue") : ok(found);
    },
  },

  "GET /projects/{project}/pages/route": {
    summary: "How one route has developed: durations, web vitals, errors, and since which release.",
    needs: viewer,
    params: inProject,
    query: shape({ route: text({ min: 1, max: 500 }), days: whole({ min: 1, max: 90, default: 7 }) }),
    response: routeTrendSchema,
    async handle({ api, params: { project }, query: { route, days } }) {
      const found = await api.routeTrend({ project, route, period: lastDays(days, api.now()) });
      return found === undefined ? unknown("route") : ok(found);
    },
  },

  "GET /projects/{project}/releases/compared": {
    summary: "What one release changed against another: issues, routes, crash-free visits.",
    needs: viewer,
    params: inProject,
    query: shape({ from: releaseName, to: releaseName }),
    response: releaseComparisonSchema,
    async handle({ api, params: { project }, query }) {
      const found = await api.releaseComparison(project, query);
      return found === undefined ? unknown("release") : ok(found);
    },
  },

  "GET /projects/{project}/releases/{id}/deploys": {
    summary: "Deploys of a release that release tools have announced, newest first.",
    needs: viewer,
    params: byId,
    response: listSchema(deploySchema),
    handle: async ({ api, params: { project, id } }) => ok({ items: api.deploys(project, id) }),
  },

  "GET /projects/{project}/balance/after-errors": {
    summary: "What visitors did after an error page, in the last 24 hours.",
    needs: viewer,
    params: inProject,
    response: afterErrorsSchema,
    async handle({ api, params: { project } }) {
      const found = await api.balance.afterErrors(project);
      return found === undefined ? unknown("report about error pages") : ok(found);
    },
  },

  "GET /projects/{project}/environments": {
    summary: "Environments from which something was reported lately.",
    needs: viewer,
    params: inProject,
    response: listSchema(anyText()),
    handle: async ({ api, params: { project } }) => ok({ items: await api.environments(project) }),
  },

  "GET /projects/{project}/pages/examples": {
    summary: "Traces of a route that took long, with what took longest in each.",
    needs: viewer,
    params: inProject,
    query: shape(
      {
        route: text({ min: 1, max: 500 }),
        days: whole({ min: 1, max: 90, default: 7 }),
        minMs: whole({ min: 0, default: 0 }),
      },
      { maxMs: whole({ min: 0 }), kind: segmentKindSchema, release: releaseName },
    ),
    response: listSchema(routeExampleSchema),
    handle: async ({ api, params: { project }, query: { days, ...wanted } }) =>
      ok({ items: await api.routeExamples({ project, ...wanted, period: lastDays(days, api.now()) }) }),
  },

  "GET /projects/{project}/pages/budgets": {
    summary: "Budgets of pages, as their requests last declared them, by route.",
    needs: viewer,
    params: inProject,
    response: shape({ routes: table(pageBudgetSchema) }),
    handle: async ({ api, params: { project } }) => ok({ routes: await api.budgets(project) }),
  },

  "GET /projects/{project}/live/visitors": {
    summary: "Visitors of the last day, newest first.",
    needs: viewer,
    params: inProject,
    response: listSchema(liveVisitorSchema),
    handle: async ({ api, params: { project } }) => ok({ items: await api.visitors(project) }),
  },

  "GET /projects/{project}/issues/merge-targets": {
    summary: "Issues that others can be merged into: the likely ones, or those that a text means.",
    needs: viewer,
    params: inProject,
    query: shape({ numbers, q: { ...text({ max: 1_000 }), default: "" } }),
    response: listSchema(issueSchema),
    handle: async ({ api, params: { project }, query: { numbers: chosen, q } }) =>
      ok({ items: (await api.mergeTargets({ project, numbers: chosen, typed: q })).targets }),
  },

  "GET /projects/{project}/balance": {
    summary: "What began against its end, by hours: error pages, submissions and navigations.",
    needs: viewer,
    params: inProject,
    query: shape({ hours: whole({ min: 1, max: 168, default: 24 }) }),
    response: listSchema(balanceHourSchema),
    handle: async ({ api, params: { project }, query: { hours } }) =>
      ok({ items: await api.balance.hours(project, hours) }),
  },
};

/** Issues of a list that are looked through for new events, as many as one page of the console. */
const newsAmong = 200;
