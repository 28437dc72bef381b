import { describe, expect, test } from "vitest";
import { decideOutcome, type Replay, type ReplayFailure, stops } from "./decide.ts";

const answered = (status: number, failure?: ReplayFailure, leadsTo: string | null = null): Replay => ({
  kind: "answered",
  status,
  leadsTo,
  failure,
});
const failure = (belongsTo: ReplayFailure["belongsTo"]): ReplayFailure => ({
  title: "RangeError: no order",
  belongsTo,
});

const outcome = (claim: "fixed" | "open", replay: Replay, isWrite = false): string => {
  const decided = decideOutcome({ number: 7, claim, isWrite, replay });
  return `${stops(decided) ? "STOP " : ""}${decided.kind}${"why" in decided ? `: ${decided.why}` : ""}`;
};

describe("the gate", () => {
  test.each<[string, "fixed" | "open", Replay, string]>([
    ["a fix that holds", "fixed", answered(200), "fixed-and-passing"],
    [
      "a fix that does not hold",
      "fixed",
      answered(500, failure({ number: 7, claim: "fixed" })),
      "STOP fixed-and-still-failing",
    ],
    ["an open issue that fails", "open", answered(500, failure({ number: 7, claim: "open" })), "open-still-failing"],
    ["an open issue that does not fail", "open", answered(200), "open-passes-now"],
    ["an error that no issue has", "open", answered(500, failure(undefined)), "STOP new-failure"],
    ["the same below a page that is answered", "fixed", answered(200, failure(undefined)), "STOP new-failure"],
    [
      "an error of another fixed issue",
      "open",
      answered(500, failure({ number: 9, claim: "fixed" })),
      "STOP fixed-and-still-failing",
    ],
    ["a 5xx without an error", "open", answered(503), "STOP new-failure"],
    ["no response", "open", { kind: "no-answer", seconds: 15 }, "STOP new-failure"],
    ["a response that is cut", "open", { kind: "cut", why: "closed", failure: undefined }, "STOP new-failure"],
  ])("decides %s", (_, claim, replay, expected) => {
    expect(outcome(claim, replay)).toBe(expected);
  });

  test.each<[string, Replay, boolean, string]>([
    ["the reason of the plan", { kind: "not-sent", why: "a write (POST)" }, true, "a write (POST)"],
    ["a missing session", answered(401), false, "it needs the visitor's session: answered 401"],
    ["a refusal", answered(403), false, "it needs the visitor's session: answered 403"],
    [
      "a redirect",
      answered(303, undefined, "/sign-in"),
      false,
      "it leads to /sign-in, as for a visitor without a session",
    ],
    ["missing data", answered(404), false, "nothing is found at its address: answered 404"],
    ["a wrong request", answered(400), false, "the request is refused: answered 400"],
    [
      "a write without its form",
      answered(303),
      true,
      "an event never contains what was posted: answered 303 without it",
    ],
    [
      "another known error before it",
      answered(500, failure({ number: 9, claim: "open" })),
      false,
      "its request fails earlier, with the known issue #9",
    ],
    [
      "a muted error before it",
      answered(500, failure({ number: 9, claim: "muted" })),
      false,
      "its request fails earlier, with the known issue #9",
    ],
  ])("says why nothing was replayed, and never that it passes: %s", (_, replay, isWrite, why) => {
    for (const claim of ["fixed", "open"] as const)
      expect(outcome(claim, replay, isWrite)).toBe(`not-replayed: ${why}`);
  });
});
