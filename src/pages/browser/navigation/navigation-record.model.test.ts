import { describe, expect, it } from "vitest";
import { keepProof } from "../../../../tests/kit/keep-proof.ts";
import { browserLimits } from "../../limits.ts";
import type { AnswerSummary, Effect, NavigationEvent, NavigationRules, NavigationState } from "./navigation-events.ts";
import { nextDueAt, step } from "./navigation-record.ts";

/**
 * Explores every interleaving of events of two overlapping navigations, the first of which may have joined a prefetch:
 * responses, losses, redirects, missing code, probes, going offline and online, a deploy, Escape, leaving the page and
 * coming back, responses for navigations that have long ended, and time that stands still, reaches a deadline or jumps
 * far past it.
 */
const depth = process.env.HOLDFAST_TEST_LONG === undefined ? 6 : 8;
const limits = browserLimits;
/** Without any further event, a navigation ends within the silence deadline and one probe. */
const boundMs = limits.routeLoadMs + limits.probeMs;

type State = NavigationState<AnswerSummary>;
type Event = NavigationEvent<AnswerSummary>;
type Step = typeof step<AnswerSummary>;

/** One line for each exploration that held. */
const proven: string[] = [];

describe("the navigation record, in all interleavings", () => {
  it.each([
    ["a working loop guard", true],
    ["a loop guard that refuses", false],
  ])(
    `the navigation record, in all interleavings up to ${depth} events deep, with %s: every navigation ends exactly once and in time`,
    (name, mayLoad) => {
      const checked = explore(step, mayLoad);
      expect(checked.complaints).toEqual([]);
      proven.push(`- With ${name}: ${checked.states} states, each ended exactly once and in time`);
      keepProof("navigation-model", [`Every interleaving of up to ${depth} events on two navigations.`, "", ...proven]);
      expect(checked.states).toBeGreaterThan(20_000);
      // The walk is meaningful only if it has seen every kind of end.
      const ends = ["cancelled", "committed", mayLoad ? "handed-over" : "failed", "held", "redirected", "superseded"];
      expect([...checked.ends].sort()).toEqual(ends.sort());
    },
    600_000,
  );
});

describe("the check itself finds", () => {
  it("a click that waits forever for the prefetch it joined", () => {
    expect(
      complaintsAbout((state, event, now, rules) =>
        event.kind === "data-failed" && event.joined && state.kind === "loading"
          ? { state: { ...state, lastByteAt: Number.POSITIVE_INFINITY, capAt: Number.POSITIVE_INFINITY }, effects: [] }
          : step(state, event, now, rules),
      ),
    ).toContain("is not over");
  });

  it("a navigation whose response is used after another has superseded it", () => {
    expect(
      complaintsAbout((state, event, now, rules) => {
        const next = step(state, event, now, rules);
        if (event.kind !== "answered" || state.kind === "idle" || state.id === event.id) return next;
        return { ...next, effects: [...next.effects, { kind: "ended", id: event.id, outcome: { kind: "cancelled" } }] };
      }),
    ).toContain("ended twice");
  });

  it("a full load while the server is unreachable", () => {
    expect(
      complaintsAbout((state, event, now, rules) =>
        step(state, event.kind === "probed" ? { ...event, reachable: true } : event, now, rules),
      ),
    ).toContain("nowhere to go");
  });

  it("a navigation that never ends", () => {
    expect(
      complaintsAbout((state, event, now, rules) =>
        event.kind === "escape"
          ? { state: { kind: "idle", nextId: state.nextId }, effects: [] }
          : step(state, event, now, rules),
      ),
    ).toContain("never ended");
  });
});

/** Everything outside the record that decides which events are possible next. */
interface World {
  state: State;
  now: number;
  clicks: number;
  joined: boolean;
  online: boolean;
  deployed: boolean;
  toggles: number;
  visits: number;
  redirects: number;
  /** Pending requests. Aborted ones stay, because a response may already be on its way. */
  data: readonly number[];
  code: readonly number[];
  probes: readonly number[];
  /** Probes that succeeded, so that a full load can succeed. */
  reached: readonly number[];
  open: readonly number[];
  ended: readonly number[];
}

function complaintsAbout(planted: Step): string {
  return explore(planted, true).complaints.join("\n");
}

function explore(stepper: Step, mayLoad: boolean): { states: number; complaints: string[]; ends: Set<string> } {
  const rules: NavigationRules = {
    limits,
    judge: (to) => (to.startsWith("/") ? "page" : "foreign"),
    mayFullLoad: () => mayLoad,
  };
  const complaints: string[] = [];
  const ends = new Set<string>();
  const seen = new Set<string>();

  const happen = (world: World, event: Event, change: Partial<World> = {}): World => {
    const changed = { ...world, ...change };
    const { state, effects } = stepper(changed.state, event, changed.now, rules);
    return effects.reduce((after, effect) => take(after, effect, `${event.kind} at ${changed.now}`), {
      ...changed,
      state,
    });
  };

  const take = (world: World, effect: Effect<AnswerSummary>, when: string): World => {
    switch (effect.kind) {
      case "begin":
        if (world.open.length > 0) complaints.push(`${when}: ${effect.id} began while ${world.open} was open`);
        return { ...world, open: [...world.open, effect.id] };
      case "get-page":
        return { ...world, data: [...world.data, effect.id] };
      case "load-code":
        return { ...world, code: [...world.code.filter((id) => id !== effect.id), effect.id] };
      case "probe":
        return { ...world, probes: [...world.probes.filter((id) => id !== effect.id), effect.id] };
      case "full-load": {
        const heard = !["network", "cut-data", "missing-module", "timeout-data", "timeout-code"].includes(
          effect.reason,
        );
        if (!heard && !world.open.some((id) => world.reached.includes(id)))
          complaints.push(`${when}: a full load (${effect.reason}) with nowhere to go`);
        return world;
      }
      case "ended":
        ends.add(effect.outcome.kind);
        if (world.ended.includes(effect.id)) complaints.push(`${when}: ${effect.id} ended twice`);
        return { ...world, ended: [...world.ended, effect.id], open: world.open.filter((id) => id !== effect.id) };
      default:
        return world;
    }
  };

  const check = (world: World): void => {
    const { state } = world;
    const owned = state.kind === "loading" || state.kind === "probing" ? [state.id] : [];
    if (String(owned) !== String(world.open))
      complaints.push(`in ${state.kind}: ${world.open} is open and never ended`);
    // From here on only time passes.
    let alone = world;
    for (let ticks = 0; alone.open.length > 0 && ticks < 10; ticks++) {
      const due = Math.max(alone.now, nextDueAt(alone.state, limits));
      if (due > world.now + boundMs) break;
      alone = happen({ ...alone, now: due }, { kind: "tick" });
    }
    if (alone.open.length > 0) complaints.push(`in ${state.kind}: ${alone.open} is not over ${boundMs} ms later`);
  };

  // Breadth first: each state is reached, checked and left once, by the shortest path.
  let level: World[] = [false, true].map((joined) => ({ ...nothingYet, joined }));
  for (let events = 0; events <= depth && complaints.length === 0; events++) {
    const following: World[] = [];
    for (const world of level) {
      const key = keyOf(world);
      if (seen.has(key)) continue;
      seen.add(key);
      check(world);
      if (events < depth) following.push(...nexts(world, happen));
    }
    level = following;
  }
  return { states: seen.size, complaints, ends };
}

const nothingYet: World = {
  state: { kind: "idle", nextId: 1 },
  now: 0,
  clicks: 0,
  joined: false,
  online: true,
  deployed: false,
  toggles: 0,
  visits: 0,
  redirects: 0,
  data: [],
  code: [],
  probes: [],
  reached: [],
  open: [],
  ended: [],
};

/** All possible next worlds. */
function* nexts(
  world: World,
  happen: (world: World, event: Event, change?: Partial<World>) => World,
): Generator<World> {
  const { state, data, code, probes, toggles } = world;
  if (world.clicks < 2)
    yield happen(
      world,
      { kind: "started", target: { to: `/${world.clicks}`, how: "push" } },
      { clicks: world.clicks + 1 },
    );
  for (const id of data) {
    const rest = { data: data.filter((other) => other !== id) };
    const joined = world.joined && id === 1 && world.data.filter((other) => other === 1).length === 1;
    yield happen(world, { kind: "alive", id });
    yield happen(
      world,
      { kind: "data-failed", id, reason: "network", ...(joined && { joined }) },
      { ...rest, joined: false },
    );
    if (world.deployed)
      yield happen(
        world,
        { kind: "data-failed", id, reason: "build-mismatch", ...(joined && { joined }) },
        { ...rest, joined: false },
      );
    else {
      yield happen(
        world,
        {
          kind: "answered",
          id,
          page: { route: "/a", status: 200, plain: true },
          source: joined ? "joined" : "fetched",
        },
        rest,
      );
      yield happen(
        world,
        { kind: "answered", id, page: { route: "/a", status: 404, plain: false }, source: "fetched" },
        rest,
      );
      if (world.redirects < 1) yield happen(world, { kind: "redirected", id, to: "/r" }, { ...rest, redirects: 1 });
      if (world.redirects < 1)
        yield happen(world, { kind: "redirected", id, to: "https://elsewhere.test/" }, { ...rest, redirects: 1 });
    }
  }
  for (const id of code) {
    const rest = { code: code.filter((other) => other !== id) };
    yield happen(world, { kind: "code-ready", id }, rest);
    yield happen(world, { kind: "code-failed", id, reason: "missing-module" }, rest);
  }
  for (const id of probes) {
    const reached = world.online ? [...world.reached, id] : world.reached;
    yield happen(
      world,
      { kind: "probed", id, reachable: world.online },
      { probes: probes.filter((other) => other !== id), reached },
    );
  }
  if (toggles < 2) {
    if (world.online) yield { ...world, online: false, toggles: toggles + 1 };
    else yield happen(world, { kind: "retry" }, { online: true, toggles: toggles + 1 });
    if (!world.deployed) yield { ...world, deployed: true, toggles: toggles + 1 };
  }
  if (state.kind !== "idle") {
    yield happen(world, { kind: "escape" });
    yield happen(world, { kind: "set-aside" });
    if (world.visits < 2)
      yield happen(world, world.visits === 0 ? { kind: "page-left" } : { kind: "page-returned" }, {
        visits: world.visits + 1,
      });
    const due = nextDueAt(state, limits);
    if (due - 1 > world.now && due < Number.POSITIVE_INFINITY) yield { ...world, now: due - 1 };
    if (due < Number.POSITIVE_INFINITY)
      for (const now of [due, due + 40_000]) yield happen(world, { kind: "tick" }, { now: Math.max(now, world.now) });
  }
}

/** Worlds that differ only in their time count as one. */
function keyOf({ now, ended: _ended, ...world }: World): string {
  return JSON.stringify(world, (key, value) => (key.endsWith("At") && typeof value === "number" ? value - now : value));
}
