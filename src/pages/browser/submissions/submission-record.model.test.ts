import { describe, expect, it } from "vitest";
import { keepProof } from "../../../../tests/kit/keep-proof.ts";
import * as freshness from "../data/page-freshness.ts";
import * as refreshes from "../data/page-refresh.ts";
import type { SubmissionEffect, SubmissionEnd, SubmissionEvent, Submissions } from "./submission-events.ts";
import { isBusy, type RecordLimits, stepSubmissions, submissionsDueAt } from "./submission-record.ts";

/**
 * Explores every interleaving of three submits with responses, losses, questions, discarding, sending again, a
 * navigation, a change in another tab, going offline and online, and time that reaches a deadline or jumps far past it.
 * The server's state is a version number that each action raises; a page shows the version at which it was loaded.
 */
const long = process.env.HOLDFAST_TEST_LONG !== undefined;
const depth = long ? 8 : 6;
const limits: RecordLimits = {
  silenceMs: 3_800,
  queryMs: 2_000,
  workMs: 60_000,
  pollMs: 1_000,
  retryMs: 5_000,
  atOnce: 2,
};
const refreshMs = 5_000;

interface Scenario {
  /** The server remembers submissions, so that it can report their outcomes and runs none twice. */
  memory: boolean;
  /** The outcome of the first submit; the others succeed. */
  first: "done" | "redirected" | "refused";
  slots: readonly string[];
  depth: number;
  calls?: "replace" | "parallel";
  /** Sent again if the server has not received it. */
  retry?: boolean;
  /** An earlier document sent the first one, which may still arrive. */
  resumed?: boolean;
}

interface World {
  state: Submissions;
  page: freshness.Freshness;
  now: number;
  online: boolean;
  /** Counters of events that occur a limited number of times. */
  presses: number;
  toggles: number;
  gone: number;
  heard: number;
  agains: number;
  /** The server's version, and the version the visitor sees. */
  version: number;
  seen: number;
  /** Requests that were sent and have not arrived: the submission, and its attempt. */
  out: readonly { id: number; attempt: number }[];
  /** Responses that are being read. `version`: of the page in it, once that is loaded. */
  answers: readonly { id: number; outcomeRead: boolean; version?: number }[];
  /** Submissions whose action has run. */
  ran: readonly number[];
  questions: readonly { id: number; cancel: boolean }[];
  refreshes: readonly { clock: number; version?: number }[];
  navigation: { clock: number; version?: number } | undefined;
  sendings: Readonly<Record<number, number>>;
  /** Repeated attempts to which the visitor has agreed. */
  allowed: Readonly<Record<number, number>>;
  settled: readonly number[];
  discarded: readonly number[];
}

const nothingYet: World = {
  state: { nextId: 1, open: [] },
  page: freshness.firstPage,
  now: 0,
  online: true,
  presses: 0,
  toggles: 0,
  gone: 0,
  heard: 0,
  agains: 0,
  version: 0,
  seen: 0,
  out: [],
  answers: [],
  ran: [],
  questions: [],
  refreshes: [],
  navigation: undefined,
  sendings: {},
  allowed: {},
  settled: [],
  discarded: [],
};

/** The three functions that decide; a planted fault replaces one of them. */
interface Rules {
  step: typeof stepSubmissions<SubmissionEnd>;
  isBusy: typeof isBusy;
}
const rules: Rules = { step: stepSubmissions, isBusy };

const twoForms = ["a", "b", "a"];
const threeForms = ["a", "b", "c"];
const scenarios: [name: string, scenario: Scenario][] = [
  ["a server that remembers", { memory: true, first: "done", slots: twoForms, depth }],
  ["a server that cannot say", { memory: false, first: "done", slots: twoForms, depth }],
  ["a first form that redirects", { memory: true, first: "redirected", slots: twoForms, depth }],
  ["a first form that is refused", { memory: true, first: "refused", slots: twoForms, depth: depth - 1 }],
  ["a form of an earlier document", { memory: true, first: "done", slots: twoForms, depth: depth - 1, resumed: true }],
  [
    "a fetcher whose calls replace each other",
    { memory: true, first: "done", slots: ["a", "a", "a"], depth, calls: "replace", retry: true },
  ],
  ["a fetcher that retries", { memory: true, first: "done", slots: twoForms, depth: depth - 1, retry: true }],
  [
    "parallel calls of one fetcher",
    { memory: true, first: "done", slots: ["a", "a", "a"], depth: depth - 1, calls: "parallel" },
  ],
  ["three forms and two connections", { memory: true, first: "done", slots: threeForms, depth: depth - 1 }],
];
const proven: string[] = [];

describe("the submission record, in all interleavings", () => {
  it.each(scenarios)(
    `the submission record, in all interleavings up to ${depth} events deep, with %s`,
    (name, scenario) => {
      const checked = explore(rules, scenario);
      expect(checked.complaints).toEqual([]);
      proven.push(`- With ${name}, ${scenario.depth} events deep: ${checked.states} states`);
      keepProof("submission-model", [
        "Every interleaving of three presses with answers, losses, questions, discarding, sending again, a navigation, a change in another tab, going offline and online, and deadlines.",
        "In each state: nothing is sent twice without the visitor, each submission is settled exactly once, everything is forgotten before an outcome is shown, no navigation aborts one,",
        "the page never becomes older, and once things go well everything ends and the page shows what the server has.",
        "",
        ...proven,
      ]);
      expect(checked.states).toBeGreaterThan(1_000);
    },
    1_200_000,
  );

  it("meets every kind of event, effect and phase", () => {
    const met = new Set(scenarios.flatMap(([, scenario]) => [...explore(rules, { ...scenario, depth: 5 }).met]));
    const events =
      "again alive answered discard heard loaded lost navigation-abandoned navigation-committed navigation-started online pressed refreshed replied resumed tick".split(
        " ",
      );
    const effects = "abort query forget navigate refresh replaced send settled show".split(" ");
    const phases = "querying following held loading sending unsure waiting".split(" ");
    expect([...met].sort()).toEqual(
      [
        ...events.map((kind) => `on ${kind}`),
        ...effects.map((kind) => `do ${kind}`),
        ...phases.map((kind) => `in ${kind}`),
        "navigation-committed and shown",
        "refreshed and shown",
      ].sort(),
    );
  });
});

describe("the check itself finds", () => {
  it("a form that is sent again when the connection is back", () => {
    const planted = withEffects((event, next, { state }) => {
      const held = state.open.find(({ phase }) => phase.kind === "held");
      return event.kind === "online" && held ? [...next, { kind: "send", id: held.id }] : next;
    });
    expect(complaintsAbout(planted, scenario(0))).toContain("without the visitor");
  });

  it("a redirect that drops no prefetched pages", () => {
    const planted = withEffects((event, next) =>
      event.kind === "answered" && event.outcome.kind === "redirected"
        ? next.filter(({ kind }) => kind !== "forget")
        : next,
    );
    expect(complaintsAbout(planted, scenario(2))).toContain("before it was forgotten");
  });

  it("a lost response that drops no prefetched pages", () => {
    const planted = withEffects((event, next) =>
      event.kind === "lost" ? next.filter(({ kind }) => kind !== "forget") : next,
    );
    expect(complaintsAbout(planted, scenario(0))).toContain("nothing is forgotten");
  });

  it("a response that counts as current although another action ran in parallel", () => {
    const planted: Rules = {
      ...rules,
      step(known, event, now, given) {
        const next = stepSubmissions(known, event, now, given);
        const shows = next.effects.some(({ kind }) => kind === "show");
        return shows ? { ...next, page: { ...next.page, asOf: next.page.clock } } : next;
      },
    };
    expect(complaintsAbout(planted, scenario(0))).toContain("the page shows");
  });

  it("a navigation that aborts a form", () => {
    const planted = withEffects((event, next, { state }) => {
      const [one] = state.open;
      return event.kind === "navigation-started" && one ? [...next, { kind: "abort", id: one.id }] : next;
    });
    expect(complaintsAbout(planted, scenario(0))).toContain("a navigation aborted");
  });

  it("a redirect that is followed although the visitor has left", () => {
    const planted = withEffects((event, next) =>
      event.kind === "answered" && event.outcome.kind === "redirected" && next.some(({ kind }) => kind === "settled")
        ? [...next, { kind: "navigate", id: event.id, to: event.outcome.to }]
        : next,
    );
    expect(complaintsAbout(planted, scenario(2))).toContain("from where they had gone");
  });

  it("a form that waits for a lost page", () => {
    const planted: Rules = {
      ...rules,
      step(known, event, now, given) {
        const { state, page } = known;
        const one = "id" in event ? state.open.find(({ id }) => id === event.id) : undefined;
        const isLost = event.kind === "lost" && one?.phase.kind === "loading";
        const open = state.open.map((other) =>
          other === one && one.phase.kind === "loading"
            ? { ...one, phase: { ...one.phase, dueAt: Number.POSITIVE_INFINITY } }
            : other,
        );
        return isLost ? { state: { ...state, open }, page, effects: [] } : stepSubmissions(known, event, now, given);
      },
    };
    expect(complaintsAbout(planted, scenario(0))).toContain("is still open");
  });

  it("a page that is fetched again while a form is being sent", () => {
    expect(complaintsAbout({ ...rules, isBusy: () => false }, scenario(0))).toContain("while something is under way");
  });

  it("the check itself finds more forms at once than there are connections", () => {
    const planted: Rules = {
      ...rules,
      step: (known, event, now, given) => stepSubmissions(known, event, now, { ...given, atOnce: 3 }),
    };
    expect(complaintsAbout(planted, scenario(8))).toContain("too many at once");
  });

  it("a fetcher that does not send its newest call again", () => {
    const planted: Rules = {
      ...rules,
      step: (known, event, now, given) =>
        stepSubmissions(known, event.kind === "pressed" ? { ...event, retry: false } : event, now, given),
    };
    expect(complaintsAbout(planted, scenario(5))).toContain("the newest call has not run");
  });

  it("a question that does not cancel the request", () => {
    const planted = withEffects((_event, next) =>
      next.map((one) => (one.kind === "query" ? { ...one, cancel: false } : one)),
    );
    expect(complaintsAbout(planted, scenario(0))).toContain("nobody waits");
  });

  it("two requests of one form at the same time", () => {
    const planted: Rules = {
      ...rules,
      step(known, event, now, given) {
        const next = stepSubmissions(known, event, now, given);
        const waiting = next.state.open.find(({ phase }) => phase.kind === "waiting");
        if (!waiting) return next;
        const sending = {
          kind: "sending",
          dueAt: now + 3_800,
          capAt: now + 60_000,
          uploadedAt: now,
          queried: false,
        } as const;
        const open = next.state.open.map((one) => (one === waiting ? { ...one, sent: 1, phase: sending } : one));
        return {
          ...next,
          state: { ...next.state, open },
          effects: [...next.effects, { kind: "send", id: waiting.id }],
        };
      },
    };
    expect(complaintsAbout(planted, scenario(0))).toContain("two of one form");
  });
});

function scenario(index: number): Scenario {
  const found = scenarios[index];
  if (!found) throw new Error(`There is no scenario ${index}.`);
  return found[1];
}

type Effects = SubmissionEffect[];

/** The correct rules, with other effects. */
function withEffects(change: (event: SubmissionEvent, effects: Effects, before: World) => Effects): Rules {
  return {
    ...rules,
    step(known, event, now, given) {
      const next = stepSubmissions(known, event, now, given);
      return { ...next, effects: change(event, next.effects, { ...nothingYet, ...known }) };
    },
  };
}

function complaintsAbout(planted: Rules, where: Scenario): string {
  return explore(planted, where).complaints.join("\n");
}

interface Checked {
  states: number;
  complaints: string[];
  met: Set<string>;
}

function explore(given: Rules, where: Scenario): Checked {
  const complaints: string[] = [];
  const met = new Set<string>();
  const seen = new Set<string>();
  const model = createModel(given, where, (complaint) => complaints.push(complaint), met);
  // Breadth first: each state is reached, checked and left once, by the shortest path.
  let level: World[] = [nothingYet];
  for (let events = 0; events <= where.depth && complaints.length === 0; events++) {
    const following: World[] = [];
    for (const world of level) {
      const key = keyOf(world);
      if (seen.has(key)) continue;
      seen.add(key);
      model.check(world);
      if (complaints.length > 0) break;
      if (events < where.depth) following.push(...model.nexts(world));
    }
    level = following;
  }
  return { states: seen.size, complaints, met };
}

/** Worlds that differ only in their time count as one. */
function keyOf({ now, ...world }: World): string {
  return JSON.stringify(world, (key, value) =>
    key.endsWith("At") && typeof value === "number" ? Math.max(value - now, -1) : value,
  );
}

function createModel(given: Rules, where: Scenario, complain: (complaint: string) => void, met: Set<string>) {
  /** Dispatches one event and applies all its effects. `shows`: the version of the page that arrives with the event. */
  const happen = (world: World, event: SubmissionEvent, change: Partial<World> = {}, shows?: number): World => {
    met.add(`on ${event.kind}`);
    const before = { ...world, ...change };
    const { state, page, effects } = given.step(before, event, before.now, limits);
    const next = { ...before, state, page };
    judge(before, event, next, effects);
    return settle(effects.reduce((reached, effect) => take(reached, effect, shows), next));
  };

  /** Dispatches an event of the page itself. `kind`: the submissions receive it too. */
  const happenToPage = (
    world: World,
    what: "navigation-started" | "navigation-committed" | "navigation-abandoned" | "heard" | "refreshed",
    page: freshness.Freshness,
    change: Partial<World>,
    shows?: number,
  ): World => {
    const isShown = what === "navigation-committed" || (what === "refreshed" && page.asOf !== world.page.asOf);
    if (isShown) met.add(`${what} and shown`);
    met.add(`on ${what}`);
    const next = { ...world, ...change, page, seen: isShown ? (shows ?? world.seen) : world.seen };
    return what === "heard" || what === "refreshed" ? settle(next) : happen(next, { kind: what });
  };

  const settle = (world: World): World => {
    if (refreshes.refreshDueAt(world.page, given.isBusy(world.state)) > world.now) return world;
    met.add("do refresh");
    if (isBusy(world.state)) complain("the page is asked for while something is under way");
    const page = refreshes.refreshing(world.page, world.now + refreshMs);
    return { ...world, page, refreshes: [...world.refreshes, { clock: page.clock }] };
  };

  const judge = (before: World, event: SubmissionEvent, { state, page }: World, effects: Effects): void => {
    const has = (kind: SubmissionEffect["kind"]): boolean => effects.some((effect) => effect.kind === kind);
    for (const { phase } of state.open) met.add(`in ${phase.kind}`);
    const sending = state.open.filter(({ phase }) => phase.kind === "sending" || phase.kind === "loading");
    if (sending.length > limits.atOnce) complain("too many at once");
    const busy = state.open.filter(({ phase }) => phase.kind === "sending" || phase.kind === "querying");
    if (where.calls !== "parallel" && new Set(busy.map(({ slot }) => slot)).size < busy.length)
      complain("two of one form at the same time");
    if (page.pageNumber === before.page.pageNumber && page.asOf < before.page.asOf) complain("an older page is shown");
    const isNavigation =
      event.kind === "navigation-started" ||
      event.kind === "navigation-committed" ||
      event.kind === "navigation-abandoned";
    if (isNavigation && before.now < submissionsDueAt(before.state) && has("abort"))
      complain("a navigation aborted a form");
    if (event.kind === "lost" && has("abort") && !has("forget")) complain("lost, and nothing is forgotten");
    if (event.kind !== "answered") return;
    const one = before.state.open.find(({ id }) => id === event.id);
    const isOver = has("settled") || has("navigate");
    const isFirst = effects[0]?.kind === "forget" || before.now >= submissionsDueAt(before.state);
    if (event.ran && isOver && !isFirst) complain("an outcome was shown before it was forgotten");
    const going = before.page.navigating ?? 0;
    if (one && has("navigate") && (one.pageNumber !== before.page.pageNumber || going > one.pressed))
      complain("a redirect took the visitor from where they had gone");
  };

  const take = (world: World, effect: SubmissionEffect, shows: number | undefined): World => {
    met.add(`do ${effect.kind}`);
    switch (effect.kind) {
      case "send": {
        const attempt = (world.sendings[effect.id] ?? 0) + 1;
        if (attempt > 1 + (world.allowed[effect.id] ?? 0)) complain(`${effect.id} is sent again without the visitor`);
        const sendings = { ...world.sendings, [effect.id]: attempt };
        return { ...world, sendings, out: [...world.out, { id: effect.id, attempt }] };
      }
      case "query": {
        const others = world.questions.filter(({ id }) => id !== effect.id);
        return { ...world, questions: [...others, { id: effect.id, cancel: effect.cancel }] };
      }
      case "abort":
        // A sent request may still arrive. Its response is not read.
        return { ...world, answers: world.answers.filter(({ id }) => id !== effect.id) };
      case "navigate":
        return { ...world, navigation: { clock: world.page.clock } };
      case "show":
        return { ...world, seen: shows ?? world.seen };
      case "replaced":
        if (!world.state.open.some(({ id }) => id === effect.by)) complain(`${effect.id} is replaced by nothing`);
        if (where.memory && world.ran.includes(effect.id)) complain(`${effect.id} has run and is replaced`);
        return ended(world, effect.id);
      case "settled":
        return ended(world, effect.id);
      default:
        return world;
    }
  };

  const ended = (world: World, id: number): World => {
    if (world.settled.includes(id)) complain(`${id} is settled twice`);
    return { ...world, settled: [...world.settled, id] };
  };

  const outcomeOf = (id: number): SubmissionEnd => {
    if (id !== 1 || where.first === "done") return { kind: "done" };
    return where.first === "redirected" ? { kind: "redirected", to: "/r" } : { kind: "invalid" };
  };
  const runs = (id: number): boolean => id !== 1 || where.first !== "refused";

  const answered = (world: World, id: number, page: boolean, change: Partial<World>): World => {
    const outcome = outcomeOf(id);
    const hasPage = page && runs(id) && outcome.kind !== "redirected";
    return happen(
      world,
      { kind: "answered", id, outcome, ran: runs(id), session: false, page: hasPage },
      { ...change, ...(!hasPage && { answers: (change.answers ?? world.answers).filter((one) => one.id !== id) }) },
    );
  };

  /** A request arrives at the server. */
  const arrive = (world: World, request: World["out"][number]): World => {
    const { id, attempt } = request;
    const out = world.out.filter((other) => other !== request);
    const one = world.state.open.find((open) => open.id === id);
    const isCurrent = attempt === world.sendings[id];
    const isAwaited = isCurrent && one && ["sending", "querying", "held"].includes(one.phase.kind);
    if (!isAwaited && where.memory) complain(`${id} runs although nobody waits for it`);
    // Without a memory a slow request may still run. Nothing can prevent that, and the visitor was informed.
    if (!isAwaited) return { ...world, out };
    const isRepeated = where.memory && world.ran.includes(id);
    const version = isRepeated || !runs(id) ? world.version : world.version + 1;
    const ran = world.ran.includes(id) ? world.ran : [...world.ran, id];
    const isHeard = one.phase.kind === "sending";
    return {
      ...world,
      out,
      version,
      ran,
      answers: isHeard ? [...world.answers, { id, outcomeRead: false }] : world.answers,
    };
  };

  /** The next part of a response reaches the browser: first the outcome, then the page. */
  const hear = (world: World, one: World["answers"][number]): World => {
    const others = world.answers.filter(({ id }) => id !== one.id);
    if (!one.outcomeRead) return answered(world, one.id, true, { answers: [...others, { ...one, outcomeRead: true }] });
    return happen(world, { kind: "loaded", id: one.id, ok: true }, { answers: others }, one.version);
  };

  const tell = (world: World, question: World["questions"][number]): World => {
    const { id, cancel } = question;
    const questions = world.questions.filter((other) => other !== question);
    if (!world.online) return happen(world, { kind: "replied", id, state: "unreachable" }, { questions });
    if (where.memory && world.ran.includes(id)) return answered(world, id, false, { questions });
    const state = where.memory ? "not-seen" : "cannot-say";
    // A server with a memory refuses a request that arrives after it was reported as not seen.
    const out = where.memory && cancel ? world.out.filter((other) => other.id !== id) : world.out;
    const allowed = where.retry && state === "not-seen" ? allow(world, id) : world.allowed;
    return happen(world, { kind: "replied", id, state }, { questions, out, allowed });
  };

  const refreshed = (world: World, one: World["refreshes"][number], ok: boolean): World =>
    happenToPage(
      world,
      "refreshed",
      refreshes.refreshed(world.page, one.clock, ok),
      { refreshes: world.refreshes.filter(({ clock }) => clock !== one.clock) },
      one.version,
    );

  const arrivedAt = (world: World, { clock, version }: { clock: number; version?: number }): World =>
    happenToPage(
      world,
      "navigation-committed",
      freshness.navigationCommitted(world.page, clock, false),
      { navigation: undefined },
      version,
    );

  const dueAt = ({ state, page }: World): number =>
    Math.min(submissionsDueAt(state), refreshes.refreshDueAt(page, isBusy(state)));

  const how = { uploadMs: 0, calls: where.calls ?? "queue", retry: where.retry === true } as const;

  /** All possible next worlds. */
  function* nexts(world: World): Generator<World> {
    const { state } = world;
    const slot = where.slots[world.presses];
    if (where.resumed && world.presses === 0) {
      const change = { presses: 1, out: [{ id: 1, attempt: 1 }], sendings: { 1: 1 } };
      yield happen(world, { kind: "resumed", slot: "a", body: "" }, change);
      return;
    }
    if (slot !== undefined) {
      const presses = world.presses + 1;
      yield happen(world, { kind: "pressed", slot, body: `${world.presses}`, ...how }, { presses });
      const last = state.open.findLast((one) => one.slot === "a");
      if (last) {
        const isStuck = last.phase.kind === "held" || last.phase.kind === "unsure";
        const allowed = isStuck && !last.unwanted ? allow(world, last.id) : world.allowed;
        yield happen(world, { kind: "pressed", slot: "a", body: last.body, ...how }, { presses, allowed });
      }
    }
    for (const request of world.out) {
      if (world.online) yield arrive(world, request);
      const one = state.open.find(({ id }) => id === request.id);
      if (one?.phase.kind === "sending") yield happen(world, { kind: "lost", id: request.id });
    }
    for (const one of world.answers) {
      const others = world.answers.filter((other) => other !== one);
      if (one.version === undefined) yield { ...world, answers: [...others, { ...one, version: world.version }] };
      if (!one.outcomeRead || one.version !== undefined) yield hear(world, one);
      if (one.outcomeRead) yield happen(world, { kind: "loaded", id: one.id, ok: false }, { answers: others });
      yield happen(world, { kind: "alive", id: one.id });
      yield happen(world, { kind: "lost", id: one.id }, { answers: others });
    }
    for (const question of world.questions) {
      yield tell(world, question);
      const running = { kind: "replied", id: question.id, state: "running" } as const;
      const questions = world.questions.filter((other) => other !== question);
      if (where.memory && world.ran.includes(question.id)) yield happen(world, running, { questions });
    }
    for (const one of world.refreshes) {
      const others = world.refreshes.filter((other) => other !== one);
      if (one.version !== undefined) yield refreshed(world, one, true);
      else if (world.online) yield { ...world, refreshes: [...others, { ...one, version: world.version }] };
      yield refreshed(world, one, false);
    }
    if (world.navigation) {
      const { navigation } = world;
      if (navigation.version !== undefined) yield arrivedAt(world, navigation);
      else yield { ...world, navigation: { ...navigation, version: world.version } };
      yield happenToPage(world, "navigation-abandoned", freshness.navigationAbandoned(world.page), {
        navigation: undefined,
      });
    } else if (world.gone < 1) {
      const page = freshness.navigationStarted(world.page);
      yield happenToPage(world, "navigation-started", page, { gone: 1, navigation: { clock: page.clock } });
    }
    if (world.heard < 1)
      yield happenToPage(world, "heard", freshness.changed(world.page), { heard: 1, version: world.version + 1 });
    if (world.toggles < 2) {
      const toggles = world.toggles + 1;
      if (world.online) yield { ...world, online: false, toggles };
      else yield happen(world, { kind: "online" }, { online: true, toggles });
    }
    for (const { id, phase, unwanted } of state.open) {
      if (phase.kind !== "held" && phase.kind !== "unsure") continue;
      if (world.agains < 1 && !unwanted)
        yield happen(world, { kind: "again", id }, { agains: 1, allowed: allow(world, id) });
      yield happen(world, { kind: "discard", id }, { discarded: [...world.discarded, id] });
    }
    const due = dueAt(world);
    if (due < Number.POSITIVE_INFINITY)
      for (const now of [due, due + 70_000]) yield happen(world, { kind: "tick" }, { now: Math.max(now, world.now) });
  }

  /**
   * From here on everything succeeds, and the visitor discards what is uncertain: then every submission ends, and the
   * page is current.
   */
  const check = (world: World): void => {
    let calm = happen(world, { kind: "online" }, { online: true });
    for (let moves = 0; ; moves++) {
      if (moves > 150) return complain(`never calm: ${JSON.stringify(calm)}`);
      const next = calmly(calm);
      if (next === undefined) break;
      calm = next;
    }
    if (calm.state.open.length > 0) complain(`${JSON.stringify(calm.state.open)} is still open`);
    else if (calm.settled.length !== calm.state.nextId - 1) complain(`not settled: ${JSON.stringify(calm)}`);
    // With a memory on the server, `retry` loses only what the visitor or a newer call has discarded.
    const newest = calm.state.nextId - 1;
    if (where.retry && where.memory && newest > 0 && ![...calm.ran, ...world.discarded].includes(newest))
      complain(`the newest call has not run: ${JSON.stringify(world)}`);
    if (calm.seen !== calm.version)
      complain(`the page shows ${calm.seen} of ${calm.version}: ${JSON.stringify(world)}`);
  };

  const calmly = (world: World): World | undefined => {
    const [request] = world.out;
    const [answer] = world.answers;
    const [question] = world.questions;
    const [refresh] = world.refreshes;
    const unsure = world.state.open.find(({ phase }) => phase.kind === "unsure");
    const { version, navigation } = world;
    if (request) return arrive(world, request);
    if (answer) return hear(world, { version, ...answer });
    if (question) return tell(world, question);
    if (unsure) return happen(world, { kind: "discard", id: unsure.id });
    if (navigation) return arrivedAt(world, { version, ...navigation });
    if (refresh) return refreshed(world, { version, ...refresh }, true);
    const due = dueAt(world);
    if (due === Number.POSITIVE_INFINITY) return undefined;
    return happen(world, { kind: "tick" }, { now: Math.max(world.now, due) });
  };

  return { nexts, check };
}

function allow(world: World, id: number): World["allowed"] {
  return { ...world.allowed, [id]: (world.allowed[id] ?? 0) + 1 };
}
