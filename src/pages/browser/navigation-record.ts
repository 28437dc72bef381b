import type { FullLoadReason, NavigationFacts, NavigationOutcome } from "#signals";
import type { BrowserLimits } from "../limits.ts";

/**
 * One navigation as a record that time itself moves on: `step` takes what happened and says what is to be done.
 * It is pure, so that all interleavings of clicks, answers, losses and timers can be tried out (`navigation-record.model.test.ts`).
 * Two promises hold on every path: a navigation that began ends exactly once, and `nextDueAt` is never further away than its deadlines.
 */
export type How = NavigationFacts["kind"];

export type Source = Extract<NavigationOutcome, { kind: "committed" }>["data"];

/** What an answer asks to be shown. `plain`: the route's own modules suffice; else an `_error` or `_not-found` file is needed too. */
export interface Answered {
  route: string;
  status: number;
  plain: boolean;
}

export interface Target {
  /** Absolute address with search and hash. */
  to: string;
  how: How;
  /** Set for `submit`: what is posted, and where to. */
  body?: Submission;
  manner?: Manner;
}

/** How the change is shown; the record only carries it along. */
export interface Manner {
  keepScroll?: boolean;
  transition?: boolean;
}

export interface Submission {
  /** Absolute address of the action. */
  action: string;
  form: FormData;
}

interface Underway {
  id: number;
  target: Target;
  startedAt: number;
  /** The visitor's patience counts from the first click, over all redirects. */
  capAt: number;
  redirects: number;
}

export interface Loading<Page> extends Underway {
  kind: "loading";
  lastByteAt: number;
  codeDueAt: number;
  code: "loading" | "ready";
  /** Asked ahead of a deadline, so that at the deadline it is known whether a full load has anywhere to go. */
  reach: "unknown" | "asked" | "reachable" | "unreachable";
  /** When a probe that was asked counts as unanswered. */
  reachDueAt: number;
  page?: Page;
  source?: Source;
}

/** The connection broke or the deadline passed: is the origin there at all? */
interface Probing extends Underway {
  kind: "probing";
  reason: FullLoadReason;
  dueAt: number;
}

/** Handed over to the browser. A download or a 204 never leaves this page, so it becomes usable again at `dueAt`. */
interface Leaving extends Underway {
  kind: "leaving";
  dueAt: number;
}

/** The server cannot be reached. The page stays; the navigation begins anew once it can. */
interface Held extends Underway {
  kind: "held";
  tries: number;
  probing: boolean;
  /** Of the next try, or of the answer to the one under way. */
  dueAt: number;
}

export type NavigationState<Page> =
  | { kind: "idle"; nextId: number }
  | ((Loading<Page> | Probing | Leaving | Held) & { nextId: number });

export type NavigationEvent<Page> =
  | { kind: "started"; target: Target }
  | { kind: "alive"; id: number }
  | { kind: "answered"; id: number; page: Page; source: Source }
  | { kind: "redirected"; id: number; to: string }
  /**
   * `joined`: it was a prefetch that failed. A click never inherits that; it asks once itself.
   * `to`: where an action of another build sends the visitor; the browser must load that instead.
   */
  | { kind: "data-failed"; id: number; reason: FullLoadReason; joined?: boolean; to?: string }
  | { kind: "code-ready"; id: number }
  | { kind: "code-failed"; id: number; reason: FullLoadReason }
  | { kind: "probed"; id: number; reachable: boolean }
  | { kind: "tick" }
  | { kind: "escape" }
  /** The browser says it is online again, or the visitor pressed Retry. */
  | { kind: "retry" }
  /** `pagehide`: nothing of ours runs after it. */
  | { kind: "page-left" }
  /** `pageshow` out of the back/forward cache. */
  | { kind: "page-returned" };

export type Effect<Page> =
  | { kind: "begun"; id: number; target: Target }
  /** From the kept pages, the prefetch cache, a running prefetch, or the server. `ask`: from the server only. */
  | { kind: "get-page"; id: number; target: Target; ask: boolean }
  | { kind: "load-code"; id: number; to: string; page?: Page }
  | { kind: "probe"; id: number }
  /** Stops the data request of this navigation. */
  | { kind: "abort"; id: number }
  /** Stops the document load that was handed to the browser. */
  | { kind: "stop-load" }
  | { kind: "commit"; id: number; target: Target; page: Page; source: Source }
  | { kind: "full-load"; target: Target; reason: FullLoadReason }
  | { kind: "show-error"; id: number; target: Target; reason: string }
  | { kind: "connection"; state: "lost" | "back" }
  | { kind: "ended"; id: number; outcome: NavigationOutcome };

/** What `step` must know of the world. Asking changes nothing. */
export interface Rules {
  limits: BrowserLimits;
  judge(to: string): "page" | "foreign" | "unknown";
  /** The loop guard: false when this full load has been tried too often just now. */
  mayFullLoad(to: string, reason: FullLoadReason): boolean;
}

export interface Stepped<Page> {
  state: NavigationState<Page>;
  effects: Effect<Page>[];
}

/** After these the server was not heard in full: a full load may have nowhere to go, so it is probed first. */
const doubtful: ReadonlySet<FullLoadReason> = new Set([
  "network",
  "cut-data",
  "missing-module",
  "missing-style",
  "timeout-data",
  "timeout-code",
]);

export function step<Page extends Answered>(
  before: NavigationState<Page>,
  event: NavigationEvent<Page>,
  now: number,
  rules: Rules,
): Stepped<Page> {
  // Deadlines are absolute: whatever happens after one, the deadline comes first. So a busy main thread postpones nothing.
  const { state, effects } = overdue(before, now, rules);
  const next = react(state, event, now, rules);
  return { state: next.state, effects: [...effects, ...next.effects] };
}

/** When the supervisor must look again, whatever else happens. */
export function nextDueAt<Page>(state: NavigationState<Page>, limits: BrowserLimits): number {
  if (state.kind === "idle") return Number.POSITIVE_INFINITY;
  if (state.kind !== "loading") return state.dueAt;
  const { at } = deadline(state, limits);
  return state.reach === "unknown" ? Math.max(at - limits.probeMs, state.startedAt) : at;
}

function react<Page extends Answered>(
  state: NavigationState<Page>,
  event: NavigationEvent<Page>,
  now: number,
  rules: Rules,
): Stepped<Page> {
  switch (event.kind) {
    case "started":
      return started(state, event.target, now, rules);
    case "tick":
      return unchanged(state);
    case "escape":
      return dropped(state, "cancelled");
    case "page-left":
      // A hand-over leaves through here: it has ended already.
      return state.kind === "leaving" ? unchanged(state) : dropped(state, "cancelled");
    case "page-returned":
      return dropped(state, "cancelled");
    case "retry":
      return state.kind === "held" && !state.probing ? probeHeld(state, now, rules) : unchanged(state);
    default:
      // Whatever comes for a navigation that has ended is of no interest.
      return state.kind === "idle" || state.id !== event.id ? unchanged(state) : progressed(state, event, now, rules);
  }
}

function progressed<Page extends Answered>(
  state: Exclude<NavigationState<Page>, { kind: "idle" }>,
  event: Exclude<
    NavigationEvent<Page>,
    { kind: "started" | "tick" | "escape" | "retry" | "page-left" | "page-returned" }
  >,
  now: number,
  rules: Rules,
): Stepped<Page> {
  if (event.kind === "probed") return probed(state, event.reachable, now, rules);
  if (state.kind !== "loading") return unchanged(state);
  switch (event.kind) {
    case "alive":
      return unchanged({ ...state, lastByteAt: now, reach: "unknown" });
    case "answered":
      return answered(state, event.page, event.source, now, rules);
    case "redirected":
      return redirected(state, event.to, now, rules);
    case "data-failed":
      if (event.joined)
        return { state, effects: [{ kind: "get-page", id: state.id, target: state.target, ask: true }] };
      return event.to === undefined
        ? troubled(state, event.reason, now, rules)
        : troubled({ ...state, target: { to: event.to, how: "push" } }, event.reason, now, rules);
    case "code-ready":
      return shown({ ...state, code: "ready" });
    case "code-failed":
      return troubled(state, event.reason, now, rules);
  }
}

function started<Page extends Answered>(
  state: NavigationState<Page>,
  target: Target,
  now: number,
  rules: Rules,
): Stepped<Page> {
  // The same link twice while it is pending is one navigation.
  if (state.kind === "loading" && isSame(state.target, target)) return unchanged(state);
  const { state: free, effects } = dropped(state, "superseded");
  const next = begun<Page>(
    free.nextId,
    target,
    { redirects: 0, capAt: now + rules.limits.navigationCapMs },
    now,
    rules,
  );
  return { state: next.state, effects: [...effects, ...next.effects] };
}

function begun<Page extends Answered>(
  id: number,
  target: Target,
  since: { redirects: number; capAt: number },
  now: number,
  rules: Rules,
): Stepped<Page> {
  const { to } = target;
  const underway = { target, ...since, id, nextId: id + 1, startedAt: now };
  const effects: Effect<Page>[] = [{ kind: "begun", id, target }];
  const judged = rules.judge(to);
  if (judged !== "page") {
    const left = leave<Page>(underway, judged === "foreign" ? "foreign-redirect" : "unknown-route", now, rules);
    return { state: left.state, effects: [...effects, ...left.effects] };
  }
  effects.push({ kind: "get-page", id, target, ask: false }, { kind: "load-code", id, to });
  const due = now + rules.limits.routeLoadMs;
  return {
    state: {
      ...underway,
      kind: "loading",
      lastByteAt: now,
      codeDueAt: due,
      code: "loading",
      reach: "unknown",
      reachDueAt: 0,
    },
    effects,
  };
}

function answered<Page extends Answered>(
  state: Loading<Page> & { nextId: number },
  page: Page,
  source: Source,
  now: number,
  rules: Rules,
): Stepped<Page> {
  if (page.plain) return shown({ ...state, page, source, lastByteAt: now });
  // Which `_error` or `_not-found` file is needed is known only now, so its time counts from now.
  return {
    state: {
      ...state,
      page,
      source,
      lastByteAt: now,
      code: "loading",
      codeDueAt: now + rules.limits.routeLoadMs,
      reach: "unknown",
    },
    effects: [{ kind: "load-code", id: state.id, to: state.target.to, page }],
  };
}

/** Shows the page once both halves, data and code, are here. */
function shown<Page extends Answered>(state: Loading<Page> & { nextId: number }): Stepped<Page> {
  const { id, page, source } = state;
  if (page === undefined || source === undefined || state.code !== "ready") return unchanged(state);
  return {
    state: { kind: "idle", nextId: state.nextId },
    effects: [
      { kind: "commit", id, target: state.target, page, source },
      { kind: "ended", id, outcome: { kind: "committed", route: page.route, status: page.status, data: source } },
    ],
  };
}

function redirected<Page extends Answered>(
  state: Loading<Page> & { nextId: number },
  to: string,
  now: number,
  rules: Rules,
): Stepped<Page> {
  const { id, target: asked, redirects, capAt, nextId } = state;
  const effects: Effect<Page>[] = [
    { kind: "abort", id },
    { kind: "ended", id, outcome: { kind: "redirected", to } },
  ];
  const how = asked.how === "submit" ? "push" : asked.how === "reload" ? "replace" : asked.how;
  const target: Target = { to: keepHash(asked.to, to), how, ...(asked.manner && { manner: asked.manner }) };
  if (redirects >= rules.limits.redirectsAtMost) {
    effects.push({ kind: "begun", id: nextId, target }, ...failed<Page>(nextId, target, "redirect-loop"));
    return { state: { kind: "idle", nextId: nextId + 1 }, effects };
  }
  const next = begun<Page>(nextId, target, { redirects: redirects + 1, capAt }, now, rules);
  return { state: next.state, effects: [...effects, ...next.effects] };
}

/** The soft way is closed: is there a hard one? */
function troubled<Page extends Answered>(
  state: Loading<Page> & { nextId: number },
  reason: FullLoadReason,
  now: number,
  rules: Rules,
): Stepped<Page> {
  const abort: Effect<Page> = { kind: "abort", id: state.id };
  if (!doubtful.has(reason) || state.reach === "reachable") {
    const left = leave<Page>(state, reason, now, rules);
    return { state: left.state, effects: [abort, ...left.effects] };
  }
  if (state.reach === "unreachable") {
    const stays = held<Page>(state, now, rules);
    return { state: stays.state, effects: [abort, ...stays.effects] };
  }
  // A probe asked ahead is still under way; its answer serves.
  const asked = state.reach === "asked";
  const dueAt = asked ? state.reachDueAt : now + rules.limits.probeMs;
  return {
    state: { ...underwayOf(state), kind: "probing", reason, dueAt },
    effects: asked ? [abort] : [abort, { kind: "probe", id: state.id }],
  };
}

function probed<Page extends Answered>(
  state: Exclude<NavigationState<Page>, { kind: "idle" }>,
  reachable: boolean,
  now: number,
  rules: Rules,
): Stepped<Page> {
  switch (state.kind) {
    case "loading":
      return unchanged(state.reach === "asked" ? { ...state, reach: reachable ? "reachable" : "unreachable" } : state);
    case "probing":
      return reachable ? leave(state, state.reason, now, rules) : held(state, now, rules);
    case "held":
      if (!state.probing) return unchanged(state);
      return reachable ? resumed(state, now, rules) : { state: waiting(state, now, rules), effects: [] };
    case "leaving":
      return unchanged(state);
  }
}

function leave<Page extends Answered>(
  state: Underway & { nextId: number },
  reason: FullLoadReason,
  now: number,
  rules: Rules,
): Stepped<Page> {
  const { id, nextId, target } = state;
  // A post must not be repeated by the browser on its own: the visitor decides, with the input still there.
  if (state.target.how === "submit" && reason !== "build-mismatch") return held(state, now, rules);
  if (!rules.mayFullLoad(target.to, reason))
    return { state: { kind: "idle", nextId }, effects: failed(id, target, reason) };
  return {
    state: { ...underwayOf(state), kind: "leaving", dueAt: now + rules.limits.handOverWatchMs },
    effects: [
      { kind: "full-load", target, reason },
      { kind: "ended", id, outcome: { kind: "handed-over", reason } },
    ],
  };
}

function failed<Page>(id: number, target: Target, reason: string): Effect<Page>[] {
  return [
    { kind: "show-error", id, target, reason },
    { kind: "ended", id, outcome: { kind: "failed", reason } },
  ];
}

function held<Page>(state: Underway & { nextId: number }, now: number, rules: Rules): Stepped<Page> {
  return {
    state: waiting({ ...underwayOf(state), tries: 0 }, now, rules),
    effects: [
      { kind: "ended", id: state.id, outcome: { kind: "held" } },
      { kind: "connection", state: "lost" },
    ],
  };
}

function waiting<Page>(
  state: Underway & { nextId: number; tries: number },
  now: number,
  { limits }: Rules,
): NavigationState<Page> {
  const { retryMs } = limits;
  const wait = retryMs[Math.min(state.tries, retryMs.length - 1)] ?? limits.navigationCapMs;
  // A post is repeated only by the visitor.
  const dueAt = state.target.how === "submit" ? Number.POSITIVE_INFINITY : now + wait;
  return { ...underwayOf(state), kind: "held", tries: state.tries + 1, probing: false, dueAt };
}

function probeHeld<Page>(state: Held & { nextId: number }, now: number, rules: Rules): Stepped<Page> {
  return {
    state: { ...state, probing: true, dueAt: now + rules.limits.probeMs },
    effects: [{ kind: "probe", id: state.id }],
  };
}

function resumed<Page extends Answered>(state: Held & { nextId: number }, now: number, rules: Rules): Stepped<Page> {
  const since = { redirects: state.redirects, capAt: now + rules.limits.navigationCapMs };
  const next = begun<Page>(state.nextId, state.target, since, now, rules);
  return { state: next.state, effects: [{ kind: "connection", state: "back" }, ...next.effects] };
}

/** Moves what is past its time. At most one deadline can have passed in each kind of state, and each move sets a later one. */
function overdue<Page extends Answered>(state: NavigationState<Page>, now: number, rules: Rules): Stepped<Page> {
  if (now < nextDueAt(state, rules.limits)) return unchanged(state);
  switch (state.kind) {
    case "idle":
      return unchanged(state);
    case "loading": {
      const due = deadline(state, rules.limits);
      if (now >= due.at) return troubled(state, due.reason, now, rules);
      return {
        state: { ...state, reach: "asked", reachDueAt: now + rules.limits.probeMs },
        effects: [{ kind: "probe", id: state.id }],
      };
    }
    case "probing":
      return held(state, now, rules);
    case "held":
      return state.probing ? { state: waiting(state, now, rules), effects: [] } : probeHeld(state, now, rules);
    case "leaving":
      return { state: { kind: "idle", nextId: state.nextId }, effects: [] };
  }
}

function deadline<Page>(state: Loading<Page>, limits: BrowserLimits): { at: number; reason: FullLoadReason } {
  const silentAt = state.page === undefined ? state.lastByteAt + limits.routeLoadMs : Number.POSITIVE_INFINITY;
  const codeDueAt = state.code === "loading" ? state.codeDueAt : Number.POSITIVE_INFINITY;
  const at = Math.min(state.capAt, silentAt, codeDueAt);
  return { at, reason: at === state.capAt ? "timeout-total" : at === silentAt ? "timeout-data" : "timeout-code" };
}

/** Ends what is under way, if anything still is: held and handed-over navigations have ended before. */
function dropped<Page>(state: NavigationState<Page>, outcome: "superseded" | "cancelled"): Stepped<Page> {
  const { nextId } = state;
  const idle: NavigationState<Page> = { kind: "idle", nextId };
  if (state.kind === "idle" || state.kind === "held") return { state: idle, effects: [] };
  if (state.kind === "leaving")
    return { state: idle, effects: outcome === "superseded" ? [{ kind: "stop-load" }] : [] };
  return {
    state: idle,
    effects: [
      { kind: "abort", id: state.id },
      { kind: "ended", id: state.id, outcome: { kind: outcome } },
    ],
  };
}

function unchanged<Page>(state: NavigationState<Page>): Stepped<Page> {
  return { state, effects: [] };
}

function underwayOf(state: Underway & { nextId: number }): Underway & { nextId: number } {
  const { id, nextId, target, startedAt, capAt, redirects } = state;
  return { id, target, nextId, startedAt, capAt, redirects };
}

/** A redirect that names no part of the page keeps the one that was asked for. */
function keepHash(asked: string, to: string): string {
  return to.includes("#") || !asked.includes("#") ? to : to + asked.slice(asked.indexOf("#"));
}

function isSame(one: Target, other: Target): boolean {
  return one.to === other.to && one.how === other.how && one.how !== "submit";
}
