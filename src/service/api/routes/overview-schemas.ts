import type { ApiOverview } from "../operations/insight-operations.ts";
import type { AsJson } from "../schema/as-json.ts";
import {
  type ApiSchema,
  anyText,
  decimal,
  flag,
  list,
  named,
  oneOf,
  orNull,
  shape,
  time,
  union,
  whole,
  word,
} from "../schema/schema.ts";
import { issueSchema } from "./issue-schemas.ts";
import {
  feedbackFactsSchema,
  quantilesSchema,
  sessionHealthSchema,
  taskStateSchema,
  vitalsSchema,
} from "./report-schemas.ts";
import { measureSchema, trendChangeSchema } from "./trend-schemas.ts";

const dayHealth = named(
  "DayHealth",
  shape(
    {
      pagesServed: whole(),
      errors: whole(),
      errorPages: whole({ description: "How often a visitor saw an error page or an error boundary's fallback." }),
      sessions: sessionHealthSchema,
      vitals: vitalsSchema,
      fullLoads: whole(),
    },
    {
      request: quantilesSchema,
      prefetchHitRate: decimal({ description: "Share of prefetched pages that were used, 0 to 1." }),
    },
  ),
);

const usualBasis = named(
  "UsualBasis",
  union(
    shape({ kind: word("four-weeks") }),
    shape({ kind: word("days"), days: whole() }),
    shape({ kind: word("last-day") }),
    shape({ kind: word("nothing") }),
  ),
);

const usualRange = named("UsualRange", shape({ low: decimal(), usual: decimal(), high: decimal() }));

const usualSeries = named(
  "UsualSeries",
  shape(
    { values: list(decimal()), low: list(decimal()), usual: list(decimal()), high: list(decimal()), total: whole() },
    { usualTotal: usualRange },
  ),
);

const deviation = named(
  "Deviation",
  shape(
    {
      since: time("Beginning of the first step above it."),
      isOlder: flag({ description: "Whether all steps are above it, so that it began earlier than they do." }),
      errors: whole({ description: "Errors since then, and how many there usually are in that time." }),
      usual: decimal(),
    },
    {
      times: decimal({ description: "How many times as many. Absent if there usually are none." }),
      release: anyText("The release that was first seen in the step of the beginning, or in the one before."),
    },
  ),
);

const usual = named(
  "Usual",
  shape(
    {
      from: time("Beginning of the first step."),
      stepMs: decimal(),
      basis: usualBasis,
      errors: usualSeries,
      errorPages: usualSeries,
      visits: usualSeries,
      failedVisits: usualSeries,
    },
    { deviation },
  ),
);

const affectedVisitors = named(
  "AffectedVisitors",
  shape(
    {
      visitors: whole({ description: "In the last 24 hours, the running one included." }),
      days: whole({ description: "How many days that is." }),
      byHour: list(whole(), {
        description: "In each of the 24 hours, oldest first. Who had an error in two of them is counted in both.",
      }),
    },
    { usual: usualRange, weekAgo: decimal({ description: "In the same hours a week ago." }) },
  ),
);

const hourTrend = shape(
  {
    values: list(orNull(decimal()), {
      description: "The 75th percentile of each hour. Null if nothing was measured in it.",
    }),
  },
  { change: trendChangeSchema },
);

const hourTrends = named(
  "HourTrends",
  shape({
    from: time("Beginning of the first hour."),
    stepMs: decimal(),
    measures: shape({ cls: hourTrend, inp: hourTrend, lcp: hourTrend, request: hourTrend }),
    prefetchHitRate: list(orNull(decimal()), {
      description: "Share of prefetched pages that were used. Null for an hour without any.",
    }),
    crashFree: list(orNull(decimal()), {
      description: "Share of visits without a crash. Null for an hour in which none began.",
    }),
  }),
);

const slowerRoute = named(
  "SlowerRoute",
  shape(
    {
      values: list(orNull(decimal()), {
        description: "The 75th percentile of each hour. Null if nothing was measured in it.",
      }),
      route: anyText(),
      measure: measureSchema,
      before: decimal({ description: "75th percentiles." }),
      after: decimal(),
      times: decimal(),
    },
    { change: trendChangeSchema },
  ),
);

const leftOutItems = named("LeftOutItems", shape({ reason: anyText(), category: anyText(), n: whole() }));

const monitorSchedule = named(
  "MonitorSchedule",
  union(
    shape({ kind: word("interval"), everyMs: decimal() }),
    shape({ kind: word("crontab"), expression: anyText() }, { timeZone: anyText() }),
  ),
);

const monitorPlan = named(
  "MonitorPlan",
  shape(
    { schedule: monitorSchedule },
    {
      marginMs: decimal({ description: "Allowed delay of the start." }),
      maxRuntimeMs: decimal(),
      failureThreshold: whole({ description: "Failed runs in a row after which an issue is filed." }),
      recoveryThreshold: whole({ description: "Good runs in a row after which it is resolved." }),
    },
  ),
);

const monitorRun = named(
  "MonitorRun",
  shape(
    { status: oneOf(["error", "in_progress", "ok"]), startedAt: time() },
    {
      id: anyText("As its check-ins name it."),
      endedAt: time(),
      durationMs: decimal(),
      serial: whole({ description: "Counts the runs of the task that have ended, from 1." }),
    },
  ),
);

const monitoredTask = named(
  "MonitoredTask",
  shape(
    {
      state: taskStateSchema,
      name: anyText(),
      lastStatus: anyText(),
      lastAt: time(),
      ok: whole(),
      failed: whole(),
      firstAt: time("Its first check-in. Nothing is expected before."),
      isMuted: flag(),
      runs: list(monitorRun, { description: "The newest runs, in the order in which they were first reported." }),
    },
    { environment: anyText(), lastDurationMs: decimal(), plan: monitorPlan },
  ),
);

const noteWithoutEvent = named(
  "NoteWithoutEvent",
  shape(
    {
      digest: anyText("Digest of its event."),
      id: whole(),
      at: time(),
      message: anyText(),
      facts: feedbackFactsSchema,
    },
    {
      ownId: anyText("Its own id, by which its sender knows it."),
      eventId: anyText(),
      name: anyText(),
      email: anyText(),
      url: anyText(),
      archivedAt: time("When a person has put it aside. Absent while it is open."),
    },
  ),
);

export const overviewSchema: ApiSchema<AsJson<ApiOverview>> = named(
  "Overview",
  shape({
    today: dayHealth,
    weekAgo: dayHealth,
    usual,
    affected: affectedVisitors,
    trends: hourTrends,
    slowerRoutes: list(slowerRoute, {
      description: "Routes that take longer than in the same hours a week ago, the largest change first.",
    }),
    widestIssues: list(issueSchema, {
      description: "Unresolved issues of that time that most visitors have met, at least two.",
    }),
    newIssues: list(issueSchema),
    regressedIssues: list(issueSchema),
    deploys: list(shape({ release: anyText(), at: time() }), {
      description: "First sightings of releases in that time, for marks in the chart.",
    }),
    leftOut: list(leftOutItems, {
      description: "Items that clients dropped in that time, as they reported, most frequent first.",
    }),
    tasks: list(monitoredTask, { description: "Scheduled tasks with their last result, of any time." }),
    notesWithoutEvent: list(noteWithoutEvent, {
      description: "Notes of visitors about events that have not arrived, newest first.",
    }),
  }),
);
