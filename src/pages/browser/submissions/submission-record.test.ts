import { describe, expect, it } from "vitest";
import { submissionLimits } from "../../submission-limits.ts";
import { type Freshness, firstPage, navigationStarted } from "../data/page-freshness.ts";
import type { SubmissionEffect, SubmissionEvent, Submissions } from "./submission-events.ts";
import { stepSubmissions, submissionsDueAt } from "./submission-record.ts";

const queued = { uploadMs: 0, calls: "queue", retry: false } as const;

describe("a form that is sent", () => {
  it("is asked about after 3,800 ms without a byte, and continues while the server reports that it is running", () => {
    const { at, did, phases } = pressed();
    at(3_799, { kind: "tick" });
    expect(did()).toEqual(["send 1"]);
    at(3_800, { kind: "tick" });
    expect(did()).toEqual(["send 1", "query 1"]);
    at(3_900, { kind: "replied", id: 1, state: "running" });
    expect(phases()).toEqual(["sending"]);
    at(7_700, { kind: "tick" });
    expect(did()).toEqual(["send 1", "query 1", "query 1"]);
  });

  it("is held when the question gets no response for 2,000 ms", () => {
    const { at, did, phases } = pressed();
    at(3_800, { kind: "tick" });
    at(5_799, { kind: "tick" });
    expect(phases()).toEqual(["sending"]);
    at(5_800, { kind: "tick" });
    expect(phases()).toEqual(["held"]);
    expect(did().slice(2)).toEqual(["forget", "abort 1"]);
  });

  it("is lost 60,000 ms after it was sent, even if bytes have arrived", () => {
    const { at, did, phases } = pressed();
    for (let now = 3_000; now < 60_000; now += 3_000) at(now, { kind: "alive", id: 1 });
    at(59_999, { kind: "tick" });
    expect(phases()).toEqual(["sending"]);
    at(60_000, { kind: "tick" });
    expect(did()).toEqual(["send 1", "forget", "abort 1", "query and cancel 1"]);
  });

  it("has additional time for its upload, during which an unanswered question means nothing", () => {
    const { at, phases, dueAt } = pressed(10_000);
    at(3_800, { kind: "tick" });
    at(5_800, { kind: "tick" });
    expect(phases()).toEqual(["sending"]);
    for (let now = 9_000; now < 70_000; now += 3_000) at(now, { kind: "alive", id: 1 });
    expect(dueAt()).toBe(70_000);
  });

  it("is asked about every 5,000 ms while the server is unreachable, and never sent", () => {
    const { at, did, phases } = pressed();
    at(100, { kind: "lost", id: 1 });
    at(200, { kind: "replied", id: 1, state: "unreachable" });
    expect(phases()).toEqual(["held"]);
    at(5_199, { kind: "tick" });
    at(5_200, { kind: "tick" });
    at(5_300, { kind: "replied", id: 1, state: "unreachable" });
    at(5_400, { kind: "online" });
    expect(did().slice(3)).toEqual(["query and cancel 1", "query and cancel 1", "query and cancel 1"]);
  });

  it("is asked about every 1,000 ms while its action is running and its response is lost", () => {
    const { at, did } = pressed();
    at(100, { kind: "lost", id: 1 });
    at(200, { kind: "replied", id: 1, state: "running" });
    at(1_199, { kind: "tick" });
    expect(did()).toHaveLength(4);
    at(1_200, { kind: "tick" });
    expect(did().at(-1)).toBe("query and cancel 1");
    expect(did()).toHaveLength(5);
  });

  it("is known to be running from the first such reply until its outcome, also while it is asked about again", () => {
    const { at, runs } = pressed();
    at(100, { kind: "lost", id: 1 });
    expect(runs()).toBe(false);
    at(200, { kind: "replied", id: 1, state: "running" });
    at(1_200, { kind: "tick" });
    expect(runs()).toBe(true);
    at(1_300, { kind: "replied", id: 1, state: "unreachable" });
    expect(runs()).toBe(false);
  });

  it("shows its outcome without the page when that does not arrive for 3,800 ms", () => {
    const { at, did } = pressed();
    at(100, { kind: "answered", id: 1, outcome: { kind: "done" }, ran: true, session: false, page: true });
    expect(did()).toEqual(["send 1", "forget"]);
    at(3_900, { kind: "tick" });
    expect(did().slice(2)).toEqual(["abort 1", "settled 1 done"]);
  });
});

describe("a form of an earlier visit", () => {
  it("a form of an earlier visit is sent again only if the server has not received it, and then only once", () => {
    const { at, did, phases } = nothingPressed();
    at(0, { kind: "resumed", slot: "a", body: "x" });
    at(10, { kind: "replied", id: 1, state: "not-seen" });
    expect([did(), phases()]).toEqual([["forget", "query and cancel 1", "send 1"], ["sending"]]);
    at(20, { kind: "lost", id: 1 });
    at(30, { kind: "replied", id: 1, state: "not-seen" });
    expect([did().filter((one) => one === "send 1"), phases()]).toEqual([["send 1"], ["unsure"]]);
  });

  it("a form of an earlier visit is not sent if the server cannot say, or if its text is gone", () => {
    for (const [body, state] of [
      ["x", "cannot-say"],
      ["", "not-seen"],
    ] as const) {
      const { at, did, phases } = nothingPressed();
      at(0, { kind: "resumed", slot: "a", body });
      at(10, { kind: "replied", id: 1, state });
      expect([did().includes("send 1"), phases()]).toEqual([false, ["unsure"]]);
    }
  });
});

describe("several forms", () => {
  it("several forms are at most four at once; the next is sent when one has ended", () => {
    const { at, did } = nothingPressed();
    for (const slot of ["a", "b", "c", "d", "e"]) at(0, { kind: "pressed", slot, body: "", ...queued });
    expect(did()).toEqual(["send 1", "send 2", "send 3", "send 4"]);
    at(1, { kind: "answered", id: 2, outcome: { kind: "done" }, ran: false, session: false, page: false });
    expect(did().slice(4)).toEqual(["abort 2", "settled 2 done", "send 5"]);
  });

  it("several forms of one slot are sent in turn, and the same twice is one", () => {
    const { at, did } = nothingPressed();
    for (const body of ["x", "x", "y"]) at(0, { kind: "pressed", slot: "a", body, ...queued });
    expect(did()).toEqual(["send 1"]);
    at(1, { kind: "answered", id: 1, outcome: { kind: "invalid" }, ran: false, session: false, page: false });
    expect(did().slice(1)).toEqual(["forget", "abort 1", "settled 1 invalid", "send 2"]);
  });
});

describe("a call of a fetcher", () => {
  const replacing = { ...queued, calls: "replace", retry: true } as const;

  it("a call that replaces others drops those that wait and no other, and gives them its outcome", () => {
    const { at, did } = nothingPressed();
    for (const body of ["x", "y", "z"]) at(0, { kind: "pressed", slot: "a", body, ...replacing });
    expect(did()).toEqual(["send 1", "replaced 2 by 3"]);
    at(1, { kind: "answered", id: 1, outcome: { kind: "done" }, ran: false, session: false, page: false });
    expect(did().slice(2)).toEqual(["abort 1", "settled 1 done", "send 3"]);
  });

  it("with `retry` is sent again once the server has not received it, and not if the server cannot say", () => {
    const { at, did, phases } = nothingPressed();
    at(0, { kind: "pressed", slot: "a", body: "x", ...queued, retry: true });
    at(1, { kind: "lost", id: 1 });
    at(2, { kind: "replied", id: 1, state: "not-seen" });
    expect(did().at(-1)).toBe("send 1");
    at(3, { kind: "lost", id: 1 });
    at(4, { kind: "replied", id: 1, state: "cannot-say" });
    expect(phases()).toEqual(["unsure"]);
  });

  it("waits behind one that is held, which is sent first", () => {
    const { at, did, phases } = nothingPressed();
    at(0, { kind: "pressed", slot: "a", body: "x", ...queued, retry: true });
    at(1, { kind: "lost", id: 1 });
    at(2, { kind: "replied", id: 1, state: "unreachable" });
    at(3, { kind: "pressed", slot: "a", body: "y", ...queued, retry: true });
    expect(phases()).toEqual(["held", "waiting"]);
    at(4, { kind: "online" });
    at(5, { kind: "replied", id: 1, state: "not-seen" });
    expect(did().at(-1)).toBe("send 1");
    expect(phases()).toEqual(["sending", "waiting"]);
  });

  it("is sent beside the others if they are parallel", () => {
    const { at, did } = nothingPressed();
    for (const body of ["x", "y"]) at(0, { kind: "pressed", slot: "a", body, ...queued, calls: "parallel" });
    expect(did()).toEqual(["send 1", "send 2"]);
  });
});

describe("a redirect", () => {
  const redirected = { kind: "redirected", to: "/there" } as const;

  it("is followed, and its form is pending until the visitor has arrived", () => {
    const { at, did, phases } = pressed();
    at(100, { kind: "answered", id: 1, outcome: redirected, ran: true, session: false, page: false });
    expect(did().slice(1)).toEqual(["forget", "navigate 1"]);
    at(101, { kind: "pressed", slot: "a", body: "x", ...queued });
    expect(phases()).toEqual(["following"]);
    at(200, { kind: "navigation-committed" });
    expect(did().slice(3)).toEqual(["settled 1 redirected"]);
  });

  it("is not followed when the visitor has started another navigation since", () => {
    const { at, did, move } = pressed();
    move(navigationStarted);
    at(100, { kind: "answered", id: 1, outcome: redirected, ran: true, session: false, page: false });
    expect(did().slice(1)).toEqual(["forget", "abort 1", "settled 1 redirected"]);
  });
});

describe("a form that changes nothing", () => {
  it("keeps prefetched pages, and the page is not in doubt", () => {
    const { at, did, page } = pressed();
    at(100, { kind: "answered", id: 1, outcome: { kind: "done" }, ran: false, session: false, page: false });
    expect(did()).not.toContain("forget");
    expect(page().asOf).toBeGreaterThanOrEqual(page().changed);
  });

  it("a form that changes nothing because it was refused drops prefetched pages; the current page is not in doubt", () => {
    const { at, did, page } = pressed();
    at(100, { kind: "answered", id: 1, outcome: { kind: "invalid" }, ran: false, session: false, page: false });
    expect(did()).toContain("forget");
    expect(page().asOf).toBeGreaterThanOrEqual(page().changed);
  });
});

function nothingPressed() {
  let state: Submissions = { nextId: 1, open: [] };
  let page: Freshness = firstPage;
  const log: string[] = [];
  const at = (now: number, event: SubmissionEvent): void => {
    const next = stepSubmissions({ state, page }, event, now, submissionLimits);
    ({ state, page } = next);
    log.push(...next.effects.map(wordsOf));
  };
  return {
    at,
    did: () => [...log],
    phases: () => state.open.map(({ phase }) => phase.kind),
    runs: () => state.open.some(({ phase }) => phase.kind === "querying" && phase.runs),
    dueAt: () => submissionsDueAt(state),
    page: () => page,
    move(change: (before: Freshness) => Freshness) {
      page = change(page);
    },
  };
}

/** One form, submitted at time 0. */
function pressed(uploadMs = 0) {
  const all = nothingPressed();
  all.at(0, { kind: "pressed", slot: "a", body: "x", ...queued, uploadMs });
  return all;
}

function wordsOf(effect: SubmissionEffect): string {
  switch (effect.kind) {
    case "forget":
      return "forget";
    case "query":
      return effect.cancel ? `query and cancel ${effect.id}` : `query ${effect.id}`;
    case "replaced":
      return `replaced ${effect.id} by ${effect.by}`;
    case "settled":
      return `settled ${effect.id} ${effect.outcome.kind}`;
    default:
      return `${effect.kind} ${effect.id}`;
  }
}
