import { expect, it } from "vitest";
import { protocolLimits, readEnvelope, readEvent, readJson } from "#protocol";
import type { RunProblem } from "./judge-monitor.ts";
import { problemEnvelope, problemId } from "./problem-envelope.ts";

const monitor = { project: 1, name: "nightly", environment: "production" };
const three = Date.parse("2026-03-02T02:00:00Z");
const minute = 60_000;

function eventOf(problem: RunProblem, timeZone = "Europe/Berlin") {
  const reading = readEnvelope(problemEnvelope(monitor, problem, timeZone));
  if (reading.kind !== "read") throw new Error(reading.why);
  const json = readJson(reading.envelope.items[0]?.payload ?? new Uint8Array(), protocolLimits);
  const event = json.kind === "read" ? readEvent(json.value) : json;
  if (event.kind !== "read") throw new Error(event.why);
  return event.value;
}

it.each([
  [
    { kind: "missed", at: three, dueAt: three },
    "MissedRun",
    "error",
    "nightly did not run at 2 Mar 2026, 03:00 (Europe/Berlin).",
  ],
  [
    { kind: "late", at: three, dueAt: three - 20 * minute, startedAt: three },
    "LateRun",
    "warning",
    "nightly began 20 minutes late, at 2 Mar 2026, 03:00 (Europe/Berlin).",
  ],
  [
    { kind: "too-long", at: three + 30 * minute, startedAt: three },
    "LongRun",
    "error",
    "nightly has not ended 30 minutes after its start at 2 Mar 2026, 03:00 (Europe/Berlin).",
  ],
  [
    { kind: "too-long", at: three, startedAt: three, durationMs: 90_000 },
    "LongRun",
    "error",
    "nightly took 90 seconds, which is too long.",
  ],
  [{ kind: "failed", at: three, durationMs: 1_500 }, "FailedRun", "error", "nightly failed after 1500 milliseconds."],
] as const)("the problem %j becomes an event that a person understands", (problem, type, level, value) => {
  expect(eventOf(problem)).toMatchObject({
    eventId: problemId(monitor, problem),
    level,
    environment: "production",
    fingerprint: ["holdfast.check-in", problem.kind, "nightly", "production"],
    exceptions: [{ type, value }],
  });
});

it("the same problem has the same id, and a time zone that does not exist is UTC", () => {
  const missed = { kind: "missed", at: three, dueAt: three } as const;
  expect(problemId(monitor, missed)).toBe(problemId(monitor, { ...missed, at: three + 1 }));
  expect(problemId(monitor, missed)).not.toBe(problemId({ ...monitor, environment: "staging" }, missed));
  expect(eventOf(missed, "No/Where").exceptions?.[0]?.value).toContain("02:00 (UTC)");
});
