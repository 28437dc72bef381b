import type { SessionHealth } from "../../queries/crash-free.ts";
import type { FeedbackEntry } from "../../queries/feedback.ts";
import type { PageReport, Quantiles } from "../../queries/pages.ts";
import type { ReleaseAnswer, ReleaseDetails } from "../../queries/releases.ts";
import type { ScheduledTaskAnswer } from "../../queries/scheduled-tasks.ts";
import type { TaskState } from "../../queries/task-state.ts";
import type { FeedbackFacts } from "../../stores/filed.ts";
import type { AttachmentSummary } from "../../stores/records.ts";
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
  table,
  time,
  union,
  whole,
  word,
} from "../schema/schema.ts";
import { commitSchema } from "./issue-schemas.ts";

export const quantilesSchema: ApiSchema<AsJson<Quantiles>> = named(
  "Quantiles",
  shape({ count: whole(), p50: decimal(), p75: decimal(), p95: decimal() }),
);

const vital = named(
  "Vital",
  shape({ count: whole(), p75: decimal(), rating: oneOf(["good", "needs-improvement", "poor"]) }),
);

const pageCacheReport = named(
  "PageCacheReport",
  shape(
    {
      requests: whole({ description: "Requests for the page, or for its data." }),
      hitRate: decimal({ description: "Share of them that the cache answered, from 0 to 1." }),
      savedMs: decimal({ description: "Loads and renderings that this has saved, together." }),
      failing: whole({ description: "Requests that got an old page because a new one could not be rendered." }),
      bypasses: table(whole(), "Why a page was not stored → how often."),
    },
    { oldestMs: decimal({ description: "The oldest page that was sent, as it is known within a few per cent." }) },
  ),
);

export const vitalsSchema: ApiSchema<AsJson<PageReport["vitals"]>> = shape(
  {},
  { cls: vital, fcp: vital, inp: vital, lcp: vital, ttfb: vital },
);

export const pageReportSchema: ApiSchema<AsJson<PageReport>> = named(
  "PageReport",
  shape(
    {
      route: anyText(),
      views: whole({ description: "Full page loads and navigations in the browser together." }),
      vitals: vitalsSchema,
      navigations: table(whole()),
      prefetches: table(whole()),
      fullLoads: table(whole()),
      errors: whole(),
      timeSpentMs: decimal({ description: "Views times their 75th percentile: where optimising gains most." }),
    },
    { load: quantilesSchema, navigation: quantilesSchema, request: quantilesSchema, cache: pageCacheReport },
  ),
);

export const sessionHealthSchema: ApiSchema<AsJson<SessionHealth>> = named(
  "SessionHealth",
  shape(
    { started: whole(), errored: whole(), crashed: whole() },
    { crashFree: decimal({ description: "Share of sessions without a crash, 0 to 1. Absent if there were none." }) },
  ),
);

const chunkCounts = named("ChunkCounts", shape({ chunks: whole(), withoutMap: whole() }));

export const releaseSchema: ApiSchema<AsJson<ReleaseAnswer>> = named(
  "Release",
  shape(
    {
      health: sessionHealthSchema,
      resolvedIssues: whole({ description: "Resolved in this release, and not seen since." }),
      vitals: vitalsSchema,
      change: shape({}, { cls: decimal(), fcp: decimal(), inp: decimal(), lcp: decimal(), ttfb: decimal() }),
      name: anyText(),
      firstSeen: time(),
      lastSeen: time(),
      events: whole(),
      newIssues: whole(),
      regressedIssues: whole({ description: "Issues that regressed in it and are still open." }),
    },
    {
      adoption: decimal({
        description:
          "Share of the last day's sessions that ran it. During a deployment, it shows how many visitors still use the old release.",
      }),
      maps: chunkCounts,
    },
  ),
);

const chunk = named(
  "Chunk",
  shape(
    {
      file: anyText(),
      mapped: whole({ description: "Events with a map, and events that arrived without one." }),
      unmapped: whole(),
      hasMap: flag({ description: "Whether the map exists now." }),
      lastEventId: anyText("An example, if possible one without a map."),
    },
    { debugId: anyText("Absent for files without one, which share a record.") },
  ),
);

const releaseCommits = named(
  "ReleaseCommits",
  union(
    shape({ kind: word("since"), release: anyText(), commits: list(commitSchema) }),
    shape({ kind: word("newest"), commits: list(commitSchema) }),
    shape({ kind: word("unknown") }),
  ),
);

export const releaseDetailsSchema: ApiSchema<AsJson<ReleaseDetails>> = named(
  "ReleaseDetails",
  shape(
    { release: releaseSchema, chunks: list(chunk), commits: releaseCommits },
    { before: anyText("The previous release.") },
  ),
);

export const attachmentSchema: ApiSchema<AsJson<AttachmentSummary>> = named(
  "Attachment",
  shape(
    { id: whole(), filename: anyText() },
    {
      contentType: anyText("As its client said."),
      size: whole({ description: "Absent if its bytes have changed on disk." }),
    },
  ),
);

export const feedbackFactsSchema: ApiSchema<AsJson<FeedbackFacts>> = named(
  "FeedbackFacts",
  shape(
    {},
    {
      source: anyText("Where they were written: `error-page`, `page`, `widget`."),
      route: anyText(),
      release: anyText(),
      environment: anyText(),
      traceId: anyText(),
      steps: list(shape({ text: anyText() }, { at: time(), kind: anyText() }), {
        description: "The visitor's last steps, oldest first.",
      }),
    },
  ),
);

export const feedbackSchema: ApiSchema<AsJson<FeedbackEntry>> = named(
  "Feedback",
  shape(
    { attachments: list(attachmentSchema), id: whole(), at: time(), message: anyText(), facts: feedbackFactsSchema },
    {
      event: shape({ id: anyText(), issue: whole(), title: anyText() }, { visitor: whole() }),
      visitor: whole({
        description:
          "Who wrote it: the visitor of the event, or the one with this e-mail address. Absent if none is known.",
      }),
      ownId: anyText("Its own id, by which its sender knows it."),
      eventId: anyText(),
      name: anyText(),
      email: anyText(),
      url: anyText(),
      archivedAt: time("When a person has put it aside. Absent while it is open."),
    },
  ),
);

export const taskStateSchema: ApiSchema<AsJson<TaskState>> = named(
  "TaskState",
  union(
    shape({ kind: oneOf(["ended-well", "failed", "running"]) }),
    shape({ kind: word("no-end") }),
    shape({ kind: word("overdue"), expectedAt: time() }),
  ),
);

const taskRun = named(
  "TaskRun",
  shape(
    {
      kind: oneOf(["failed", "late", "missed", "ok", "running", "too-long"]),
      at: time("Its start, or when it was due."),
    },
    { durationMs: decimal() },
  ),
);

export const scheduledTaskSchema: ApiSchema<AsJson<ScheduledTaskAnswer>> = named(
  "ScheduledTask",
  shape(
    {
      name: anyText(),
      state: taskStateSchema,
      lastAt: time(),
      ok: whole(),
      failed: whole(),
      isMuted: flag(),
      runs: list(taskRun, { description: "Newest last." }),
      problems: list(oneOf(["failed", "late", "missed", "too-long"]), {
        description: "Problems whose issues are open.",
      }),
    },
    {
      environment: anyText(),
      schedule: anyText("In words. Absent if its check-ins do not say it."),
      nextDueAt: time(),
    },
  ),
);
