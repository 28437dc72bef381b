import type { TrendChange } from "../../queries/change-point.ts";
import type { RouteExample } from "../../queries/route-examples.ts";
import type { RouteTrend } from "../../queries/route-trend.ts";
import type { ApiDeploy, ApiPageBudget, ApiReleaseComparison } from "../operations/insight-operations.ts";
import type { AsJson } from "../schema/as-json.ts";
import { type ApiSchema, anyText, decimal, list, named, oneOf, orNull, shape, time, whole } from "../schema/schema.ts";
import { issueSchema } from "./issue-schemas.ts";
import { quantilesSchema, vitalsSchema } from "./report-schemas.ts";
import { segmentKindSchema } from "./trace-schemas.ts";

export const trendChangeSchema: ApiSchema<AsJson<TrendChange>> = named(
  "TrendChange",
  shape(
    {
      since: time("First sight of the release, or beginning of the step."),
      before: decimal({ description: "75th percentiles, or shares." }),
      after: decimal(),
    },
    {
      release: anyText("The release that explains it. Absent if it began without one."),
      times: decimal({ description: "`after` as a multiple of `before`. Absent if that was zero." }),
    },
  ),
);

const seenRelease = named("SeenRelease", shape({ release: anyText(), at: time() }));

export const measureSchema: ApiSchema<RouteTrend["measures"][number]["measure"]> = oneOf([
  "cls",
  "fcp",
  "inp",
  "lcp",
  "navigation",
  "pageload",
  "request",
  "ttfb",
]);

const measureTrend = named(
  "MeasureTrend",
  shape(
    {
      measure: measureSchema,
      whole: quantilesSchema,
      p75: list(orNull(decimal()), { description: "For each step. Null if nothing was measured in it." }),
      p95: list(orNull(decimal())),
    },
    { change: trendChangeSchema },
  ),
);

const shareTrend = named(
  "ShareTrend",
  shape(
    { values: list(decimal(), { description: "Cases in each step." }), total: whole() },
    { change: trendChangeSchema },
  ),
);

export const routeTrendSchema: ApiSchema<AsJson<RouteTrend>> = named(
  "RouteTrend",
  shape(
    {
      route: anyText(),
      from: time(),
      stepMs: decimal(),
      views: list(whole(), { description: "Views of each step: page loads and navigations." }),
      releases: list(seenRelease, { description: "Releases that were first seen in the period, oldest first." }),
      measures: list(measureTrend, { description: "Those that were measured." }),
      errors: shareTrend,
      fullLoads: shareTrend,
    },
    {
      worst: shape({
        measure: oneOf([
          "cls",
          "errors",
          "fcp",
          "full-loads",
          "inp",
          "lcp",
          "navigation",
          "pageload",
          "request",
          "ttfb",
        ]),
        change: trendChangeSchema,
      }),
    },
  ),
);

const longestPart = named(
  "LongestPart",
  shape({ title: anyText(), ms: decimal(), times: decimal() }, { op: anyText() }),
);

export const pageBudgetSchema: ApiSchema<AsJson<ApiPageBudget>> = named(
  "PageBudget",
  shape(
    {},
    {
      cls: decimal(),
      inpMs: decimal(),
      lcpMs: decimal(),
      loadMs: decimal(),
      navigationMs: decimal(),
      serverMs: decimal(),
    },
  ),
);

export const routeExampleSchema: ApiSchema<AsJson<RouteExample>> = named(
  "RouteExample",
  shape(
    {
      traceId: anyText(),
      spanId: anyText(),
      route: anyText(),
      kind: segmentKindSchema,
      at: time(),
      durationMs: decimal(),
      status: anyText(),
    },
    {
      slowest: longestPart,
      release: anyText(),
      environment: anyText(),
      visitor: whole({ description: "The visitor, or the visit if that is unknown." }),
    },
  ),
);

const period = named("Period", shape({ from: time(), to: time() }));

const deployEffect = named(
  "DeployEffect",
  shape(
    {},
    {
      errorsInFirstHour: whole({
        description:
          "Errors of the project in its first hour, by quarters of an hour. Absent if they are no longer known.",
      }),
      adoptedInHour: decimal({ description: "Its share of visits after an hour and after a day." }),
      adoptedInDay: decimal(),
      skewLoads: whole({
        description: "Visitors of the build before whose page was loaded again, because the server had another build.",
      }),
    },
  ),
);

const comparedRelease = named(
  "ComparedRelease",
  shape({
    name: anyText(),
    firstSeen: time(),
    asNewest: period,
    events: whole(),
    visits: whole(),
    vitals: vitalsSchema,
    adoption: list(orNull(decimal()), {
      description:
        "Its share of all visits, for each of the hours since it was first seen. Null for hours without visits.",
    }),
    deploy: deployEffect,
  }),
);

const comparedIssue = named(
  "ComparedIssue",
  shape({ issue: issueSchema, before: decimal({ description: "Events in both." }), after: decimal() }),
);

const comparedRoute = named(
  "ComparedRoute",
  shape({
    route: anyText(),
    measure: measureSchema,
    before: decimal({ description: "75th percentiles." }),
    after: decimal(),
    times: decimal(),
  }),
);

export const releaseComparisonSchema: ApiSchema<AsJson<ApiReleaseComparison>> = named(
  "ReleaseComparison",
  shape({
    from: comparedRelease,
    to: comparedRelease,
    newIssues: list(comparedIssue, {
      description: "Issues that only the newer one has, and that it was the first to have.",
    }),
    goneIssues: list(comparedIssue, { description: "Issues that only the older one has." }),
    grownIssues: list(comparedIssue, { description: "Issues that are more frequent for each visit of the newer one." }),
    routes: list(comparedRoute, {
      description: "Routes that took longer or shorter while each was the newest release, the largest change first.",
    }),
  }),
);

export const deploySchema: ApiSchema<AsJson<ApiDeploy>> = named(
  "Deploy",
  shape({ release: anyText(), environment: anyText(), at: time() }, { name: anyText(), url: anyText() }),
);
