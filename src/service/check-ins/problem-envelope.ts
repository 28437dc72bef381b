import { createHash } from "node:crypto";
import { jsonItem, writeEnvelope } from "#protocol";
import type { MonitorName } from "../stores/records.ts";
import type { RunProblem } from "./judge-monitor.ts";
import type { ProblemKind } from "./watch-state.ts";

/** Types of the issues of scheduled tasks. Filters and alerts name them. */
export const problemTypes: Readonly<Record<ProblemKind, string>> = {
  missed: "MissedRun",
  late: "LateRun",
  "too-long": "LongRun",
  failed: "FailedRun",
};

/** The same for the same problem, so that a problem that is reported twice is one event. */
export function problemId({ project, name, environment }: MonitorName, problem: RunProblem): string {
  const { kind, at, dueAt, startedAt } = problem;
  return idOf(["check-in", project, name, environment, kind, dueAt ?? [startedAt, at]]);
}

/** An event, as a client would send it. All events of one monitor and kind are one issue. */
export function problemEnvelope(monitor: MonitorName, problem: RunProblem, timeZone: string | undefined): Uint8Array {
  const { name, environment } = monitor;
  const { kind, at } = problem;
  return eventEnvelope(problemId(monitor, problem), {
    timestamp: at / 1000,
    level: kind === "late" ? "warning" : "error",
    environment,
    fingerprint: ["holdfast.check-in", kind, name, environment ?? ""],
    tags: { "check_in.monitor": name, "check_in.problem": kind },
    exception: { values: [{ type: problemTypes[kind], value: sentenceOf(name, problem, timeZone), mechanism }] },
  });
}

/** Tasks that were due while nothing could be received: one event for all of a project. */
export function blindEnvelope(project: number, { from, to, monitors }: BlindTime): Uint8Array {
  const tasks = monitors === 1 ? "one scheduled task" : `${monitors} scheduled tasks`;
  const away = `The service was not running from ${timeOf(from)} to ${timeOf(to)}.`;
  return eventEnvelope(idOf(["check-ins-unwatched", project, from]), {
    timestamp: to / 1000,
    level: "info",
    fingerprint: ["holdfast.check-ins-unwatched"],
    exception: {
      values: [
        {
          type: "CheckInsNotWatched",
          value: `${away} Whether ${tasks} ran in that time is not known.`,
          mechanism,
        },
      ],
    },
  });
}

export interface BlindTime {
  readonly from: number;
  readonly to: number;
  readonly monitors: number;
}

const mechanism = { type: "holdfast.check-ins", handled: true };

function eventEnvelope(eventId: string, event: object): Uint8Array {
  const whole = { event_id: eventId, platform: "other", logger: "holdfast.check-ins", ...event };
  return writeEnvelope({ eventId }, [jsonItem("event", whole)]);
}

function idOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

function sentenceOf(name: string, problem: RunProblem, timeZone: string | undefined): string {
  const { kind, at, dueAt = at, startedAt = at, durationMs } = problem;
  switch (kind) {
    case "missed":
      return `${name} did not run at ${timeOf(dueAt, timeZone)}.`;
    case "late":
      return `${name} began ${durationText(startedAt - dueAt)} late, at ${timeOf(startedAt, timeZone)}.`;
    case "too-long":
      return durationMs === undefined
        ? `${name} has not ended ${durationText(at - startedAt)} after its start at ${timeOf(startedAt, timeZone)}.`
        : `${name} took ${durationText(durationMs)}, which is too long.`;
    case "failed":
      return durationMs === undefined ? `${name} failed.` : `${name} failed after ${durationText(durationMs)}.`;
  }
}

function timeOf(at: number, timeZone = "UTC"): string {
  const options = { timeZone, dateStyle: "medium", timeStyle: "short", hourCycle: "h23" } as const;
  try {
    return `${new Intl.DateTimeFormat("en-GB", options).format(at)} (${timeZone})`;
  } catch {
    // A client may send any text as a time zone.
    return timeOf(at);
  }
}

/** Rounded: `90 seconds`, not `2 minutes`. */
function durationText(ms: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
    ["second", 1_000],
  ] as const;
  const [unit, size] = units.find(([, each]) => ms >= 2 * each) ?? ["millisecond", 1];
  const n = Math.round(ms / size);
  return `${n} ${unit}${n === 1 ? "" : "s"}`;
}
