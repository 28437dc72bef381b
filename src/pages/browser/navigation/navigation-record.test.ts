import { describe, expect, it } from "vitest";
import type { FullLoadReason } from "#signals";
import { browserLimits } from "../../limits.ts";
import type { AnswerSummary, Effect, NavigationEvent, NavigationRules, NavigationState } from "./navigation-events.ts";
import { nextDueAt, step } from "./navigation-record.ts";

const to = "https://app.test/orders/7?x=1#items";
const orders: AnswerSummary = { route: "/orders/[id]", status: 200, plain: true };
const missing: AnswerSummary = { route: "/orders/[id]", status: 404, plain: false };

describe("a navigation", () => {
  it("is committed when data and code have arrived, in either order", () => {
    for (const events of [
      [answer(orders), codeReady],
      [codeReady, answer(orders)],
    ]) {
      const { happens, outcomes, log } = clicked();
      happens(...events);
      expect(outcomes).toEqual([[1, { kind: "committed", route: "/orders/[id]", status: 200, data: "fetched" }]]);
      expect(log).toEqual(["begin", "get-page", "load-code", "commit", "ended"]);
    }
  });

  it("renders a well-formed failure in place, after loading the file that shows it", () => {
    const { happens, outcomes, log } = clicked();
    happens(codeReady, answer(missing));
    expect(outcomes).toEqual([]);
    happens(codeReady);
    expect(outcomes).toEqual([[1, { kind: "committed", route: "/orders/[id]", status: 404, data: "fetched" }]]);
    expect(log.filter((kind) => kind === "full-load")).toEqual([]);
  });

  it.each([
    [undefined, undefined, "committed"],
    ["x1", "x1", "committed"],
    ["x1", undefined, "handed-over"],
    [undefined, "x1", "handed-over"],
    ["x1", "x2", "handed-over"],
  ])("to a page of the policy %s, in a document of the policy %s, is %s", (wanted, policy, kind) => {
    for (const summary of [orders, missing]) {
      const { happens, outcomes, log } = clicked({ policy });
      happens(answer({ ...summary, policy: wanted }), codeReady, codeReady);
      expect(outcomes.map(([, outcome]) => outcome)).toMatchObject([
        kind === "committed" ? { kind } : { kind, reason: "other-policy" },
      ]);
      expect(log.includes("full-load")).toBe(kind === "handed-over");
    }
  });

  it.each([
    [3_799, "committed"],
    [3_800, "handed-over"],
  ])("a navigation whose data comes after %i ms of silence is %s", (ms, kind) => {
    const { happens, at, outcomes } = clicked();
    happens(codeReady);
    at(ms - 1_000, { kind: "tick" });
    happens({ kind: "probed", id: 1, reachable: true });
    at(ms, answer(orders));
    expect(outcomes.map(([, outcome]) => outcome.kind)).toEqual([kind]);
  });

  it.each([
    [3_799, "committed"],
    [3_800, "handed-over"],
  ])("a navigation whose code comes %i ms after the click is %s", (ms, kind) => {
    const { happens, at, outcomes } = clicked();
    happens(answer(orders));
    at(ms - 1_000, { kind: "tick" });
    happens({ kind: "probed", id: 1, reachable: true });
    at(ms, codeReady);
    expect(outcomes.map(([, outcome]) => outcome.kind)).toEqual([kind]);
  });

  it("stays in the browser while the server gives signs of life, up to 30 seconds in all", () => {
    const { happens, at, outcomes } = clicked();
    happens(codeReady);
    for (let ms = 1_000; ms < 30_000; ms += 1_000) at(ms, { kind: "alive", id: 1 });
    expect(outcomes).toEqual([]);
    at(30_000, { kind: "alive", id: 1 });
    expect(outcomes).toEqual([[1, { kind: "handed-over", reason: "timeout-total" }]]);
  });

  it("keeps its deadlines when the main thread was busy and no timer ran", () => {
    const { happens, at, outcomes } = clicked();
    happens(codeReady);
    at(9_000, answer(orders));
    at(9_100, { kind: "probed", id: 1, reachable: true });
    expect(outcomes).toEqual([[1, { kind: "handed-over", reason: "timeout-data" }]]);
  });

  it("probes the server before the deadline, and is decided at the deadline", () => {
    const { at, outcomes, log, state } = clicked();
    expect(nextDueAt(state(), browserLimits)).toBe(1_800);
    at(1_800, { kind: "tick" });
    expect(log.at(-1)).toBe("probe");
    at(1_900, { kind: "probed", id: 1, reachable: false });
    at(3_800, { kind: "tick" });
    expect(outcomes).toEqual([[1, { kind: "held" }]]);
  });

  it("is held, not handed over, when even the probe hangs", () => {
    const { at, outcomes } = clicked();
    at(1_800, { kind: "tick" });
    at(3_800, { kind: "tick" });
    at(3_800, { kind: "tick" });
    expect(outcomes).toEqual([[1, { kind: "held" }]]);
  });

  it.each<FullLoadReason>(["wrong-content-type", "unreadable-data", "build-mismatch", "no-content", "attachment"])(
    "is handed over at once for %s: the server was heard",
    (reason) => {
      const { happens, outcomes, effects } = clicked();
      happens({ kind: "data-failed", id: 1, reason });
      expect(outcomes).toEqual([[1, { kind: "handed-over", reason }]]);
      expect(effects.find((effect) => effect.kind === "full-load")).toEqual({
        kind: "full-load",
        target: { to, how: "push" },
        reason,
      });
    },
  );

  it.each<FullLoadReason>(["network", "cut-data"])(
    "is handed over for %s only when the server can be reached",
    (reason) => {
      const reached = clicked();
      reached.happens({ kind: "data-failed", id: 1, reason }, { kind: "probed", id: 1, reachable: true });
      expect(reached.outcomes).toEqual([[1, { kind: "handed-over", reason }]]);
      const lost = clicked();
      lost.happens({ kind: "data-failed", id: 1, reason }, { kind: "probed", id: 1, reachable: false });
      expect(lost.outcomes).toEqual([[1, { kind: "held" }]]);
      expect(lost.log).not.toContain("full-load");
    },
  );

  it("is handed over when its module is missing", () => {
    const { happens, outcomes } = clicked();
    happens(
      answer(orders),
      { kind: "code-failed", id: 1, reason: "missing-module" },
      { kind: "probed", id: 1, reachable: true },
    );
    expect(outcomes).toEqual([[1, { kind: "handed-over", reason: "missing-module" }]]);
  });

  it("fails in place when the loop guard refuses another full load", () => {
    const { happens, outcomes, log } = clicked({ mayFullLoad: () => false });
    happens({ kind: "data-failed", id: 1, reason: "unreadable-data" });
    expect(outcomes).toEqual([[1, { kind: "failed", reason: "unreadable-data" }]]);
    expect(log).toContain("show-error");
    expect(log).not.toContain("full-load");
  });

  it("does not inherit the failure of the prefetch it joined, and keeps its own deadline", () => {
    const { at, happens, outcomes, effects, log } = clicked();
    at(3_000, { kind: "data-failed", id: 1, reason: "network", joined: true });
    expect(effects.at(-1)).toEqual({ kind: "get-page", id: 1, target: { to, how: "push" }, refetch: true });
    expect(outcomes).toEqual([]);
    happens({ kind: "probed", id: 1, reachable: true });
    at(3_800, { kind: "tick" });
    expect(outcomes).toEqual([[1, { kind: "handed-over", reason: "timeout-data" }]]);
    expect(log.filter((kind) => kind === "get-page")).toHaveLength(2);
  });
});

describe("a second click", () => {
  it("a second click on the same link while it is pending changes nothing", () => {
    const { happens, log } = clicked();
    happens({ kind: "started", target: { to, how: "push" } });
    expect(log).toEqual(["begin", "get-page", "load-code"]);
  });

  it("a second click on the same link while the browser loads it in full does not stop that load", () => {
    const { happens, at, log, state } = clicked();
    happens({ kind: "data-failed", id: 1, reason: "build-mismatch" });
    expect(log.at(-2)).toBe("full-load");
    for (let ms = 100; ms < 5_000; ms += 100) at(ms, { kind: "started", target: { to, how: "push" } });
    expect(log.filter((kind) => kind === "full-load" || kind === "stop-load")).toEqual(["full-load"]);
    expect(state().kind).toBe("leaving");
    // After that time the load has failed in silence, and the click counts.
    at(5_000, { kind: "started", target: { to, how: "push" } });
    expect(state().kind).toBe("loading");
  });

  it("a second click on the same link while the server is probed does not probe again", () => {
    const { happens, log } = clicked();
    happens({ kind: "data-failed", id: 1, reason: "network" }, { kind: "started", target: { to, how: "push" } });
    expect(log.filter((kind) => kind === "probe")).toHaveLength(1);
  });

  it("a second click on another link supersedes and aborts the first", () => {
    const { happens, outcomes, log } = clicked();
    happens({ kind: "started", target: { to: "https://app.test/b", how: "push" } });
    expect(outcomes).toEqual([[1, { kind: "superseded" }]]);
    expect(log).toEqual(["begin", "get-page", "load-code", "abort", "ended", "begin", "get-page", "load-code"]);
    happens(answer(orders), codeReady);
    expect(outcomes).toHaveLength(1);
  });

  it("a second click while the browser is loading the first stops that load", () => {
    const { happens, log, state } = clicked();
    happens(
      { kind: "data-failed", id: 1, reason: "no-content" },
      { kind: "started", target: { to: "https://app.test/b", how: "push" } },
    );
    expect(log).toContain("stop-load");
    expect(state().kind).toBe("loading");
  });
});

describe("Escape", () => {
  it("cancels what is pending", () => {
    const { happens, outcomes, log } = clicked();
    happens({ kind: "escape" });
    expect(outcomes).toEqual([[1, { kind: "cancelled" }]]);
    expect(log).toContain("abort");
    happens(answer(orders), codeReady);
    expect(outcomes).toHaveLength(1);
  });
});

describe("a redirect in the data", () => {
  it("ends one navigation and begins the next, with the requested hash", () => {
    const { happens, outcomes, effects } = clicked();
    happens({ kind: "redirected", id: 1, to: "https://app.test/login" });
    expect(outcomes).toEqual([[1, { kind: "redirected", to: "https://app.test/login" }]]);
    expect(effects.at(-1)).toMatchObject({ kind: "load-code", id: 2, to: "https://app.test/login#items" });
  });

  it("a redirect in the data to another origin is a full load", () => {
    const { happens, outcomes } = clicked();
    happens({ kind: "redirected", id: 1, to: "https://elsewhere.test/" });
    expect(outcomes.at(-1)).toEqual([2, { kind: "handed-over", reason: "foreign-redirect" }]);
  });

  it("counts as requested by the visitor whose click it follows, also for the loop guard", () => {
    const initiated: unknown[] = [];
    const { happens } = clicked(
      { mayFullLoad: (target) => initiated.push(target.userInitiated) > 0 },
      { how: "push", userInitiated: true },
    );
    happens({ kind: "redirected", id: 1, to: "https://elsewhere.test/" });
    expect(initiated).toEqual([true]);
  });

  it("is followed 20 times, then the navigation fails in place", () => {
    const { happens, outcomes, log } = clicked();
    for (let id = 1; id <= 21; id++) happens({ kind: "redirected", id, to: `https://app.test/${id}` });
    expect(outcomes.filter(([, outcome]) => outcome.kind === "redirected")).toHaveLength(21);
    expect(outcomes.at(-1)).toEqual([22, { kind: "failed", reason: "redirect-loop" }]);
    expect(log.at(-2)).toBe("show-error");
  });

  it("does not give the whole chain more than the 30 seconds of one navigation", () => {
    const { at, outcomes } = clicked();
    let id = 1;
    for (let ms = 3_000; ms < 30_000; ms += 3_000)
      at(ms, { kind: "redirected", id: id++, to: `https://app.test/${ms}` });
    at(30_000, { kind: "tick" });
    expect(outcomes.at(-1)?.[1]).toEqual({ kind: "handed-over", reason: "timeout-total" });
  });
});

describe("a held navigation", () => {
  it("is retried after 1, 2, 5, 10, 10 seconds and starts again once the server responds", () => {
    const { at, happens, state, outcomes, log } = heldAt(0);
    const waits: number[] = [];
    let now = 0;
    for (let i = 0; i < 5; i++) {
      const due = nextDueAt(state(), browserLimits);
      waits.push(due - now);
      now = due;
      at(now, { kind: "tick" });
      if (i < 4) happens({ kind: "probed", id: 1, reachable: false });
    }
    expect(waits).toEqual([1_000, 2_000, 5_000, 10_000, 10_000]);
    happens({ kind: "probed", id: 1, reachable: true });
    expect(outcomes).toEqual([[1, { kind: "held" }]]);
    expect(log.slice(-4)).toEqual(["connection", "begin", "get-page", "load-code"]);
    happens({ ...answer(orders), id: 2 }, { kind: "code-ready", id: 2 });
    expect(outcomes.at(-1)?.[1].kind).toBe("committed");
  });

  it("is retried at once when the browser is online again or the visitor presses Retry", () => {
    const { at, log } = heldAt(0);
    at(10, { kind: "retry" });
    expect(log.at(-1)).toBe("probe");
    at(11, { kind: "retry" });
    expect(log.filter((kind) => kind === "probe")).toHaveLength(2);
  });

  it("is replaced by another click", () => {
    const { happens, outcomes, state } = heldAt(0);
    happens({ kind: "started", target: { to: "https://app.test/b", how: "push" } });
    expect(outcomes).toEqual([[1, { kind: "held" }]]);
    expect(state()).toMatchObject({ kind: "loading", target: { to: "https://app.test/b" } });
  });
});

describe("a hand-over that does not leave", () => {
  it("makes the page usable again after 5 seconds", () => {
    const { at, happens, state } = clicked();
    happens({ kind: "data-failed", id: 1, reason: "attachment" });
    at(4_999, { kind: "tick" });
    expect(state().kind).toBe("leaving");
    at(5_000, { kind: "tick" });
    expect(state().kind).toBe("idle");
  });
});

const codeReady: NavigationEvent<AnswerSummary> = { kind: "code-ready", id: 1 };

function answer(page: AnswerSummary): Extract<NavigationEvent<AnswerSummary>, { kind: "answered" }> {
  return { kind: "answered", id: 1, page, source: "fetched" };
}

/** A navigation that started at time 0, with all its effects so far. */
function clicked(
  rules: Partial<NavigationRules> = {},
  target: { how: "push"; userInitiated?: boolean } = { how: "push" },
) {
  const allRules: NavigationRules = {
    limits: browserLimits,
    judge: (address) => (address.startsWith("https://app.test/") ? "page" : "foreign"),
    mayFullLoad: () => true,
    ...rules,
  };
  let state: NavigationState<AnswerSummary> = { kind: "idle", nextId: 1 };
  let now = 0;
  const effects: Effect<AnswerSummary>[] = [];
  const log: string[] = [];
  const outcomes: [number, Extract<Effect<AnswerSummary>, { kind: "ended" }>["outcome"]][] = [];
  const at = (time: number, event: NavigationEvent<AnswerSummary>) => {
    now = time;
    const next = step(state, event, now, allRules);
    state = next.state;
    for (const effect of next.effects) {
      effects.push(effect);
      log.push(effect.kind);
      if (effect.kind === "ended") outcomes.push([effect.id, effect.outcome]);
    }
  };
  at(0, { kind: "started", target: { to, ...target } });
  return {
    at,
    happens: (...events: NavigationEvent<AnswerSummary>[]) => {
      for (const event of events) at(now, event);
    },
    state: () => state,
    effects,
    log,
    outcomes,
  };
}

function heldAt(_time: 0) {
  const navigation = clicked();
  navigation.happens({ kind: "data-failed", id: 1, reason: "network" }, { kind: "probed", id: 1, reachable: false });
  return navigation;
}
