import type { FullLoadReason } from "#signals";
import type { BrowserLimits } from "../../limits.ts";
import type {
  ActiveNavigation,
  AnswerSummary,
  Effect,
  Held,
  Loading,
  NavigationEvent,
  NavigationRules,
  NavigationState,
  NavigationTarget,
  StepResult,
} from "./navigation-events.ts";

/** After these failures the server may be unreachable, so it is probed before a full load. */
const doubtful: ReadonlySet<FullLoadReason> = new Set([
  "network",
  "cut-data",
  "missing-module",
  "missing-style",
  "timeout-data",
  "timeout-code",
]);

/**
 * One navigation as a state machine: `step` takes an event and returns the next state and the effects. It is pure, so
 * that a model can try all interleavings of clicks, responses, losses and timers (`navigation-record.model.test.ts`).
 * Two promises hold on every path: a navigation that began ends exactly once, and `nextDueAt` is never later than its
 * deadlines.
 *
 * A click that succeeds:
 *
 *   event        function       state     effects
 *   started      start, begin   loading   begun, get-page, load-code
 *   alive        progress       loading
 *   answered     handleAnswer   loading   (load-code, for an error page)
 *   code-ready   tryCommit      idle      commit, ended: committed
 *
 * The three detours:
 *
 *   redirected                followRedirect   loading   abort, ended: redirected, then as started
 *   data-failed, code-failed  handleFailure    probing   abort, probe
 *     probed: reachable       leave            leaving   full-load, ended: handed-over
 *     probed: unreachable     hold             held      ended: held, connection: lost
 *   retry, or a due time      probeHeld        held      probe
 *     probed: reachable       resume           loading   connection: back, then as started
 */
export function step<Page extends AnswerSummary>(
  before: NavigationState<Page>,
  event: NavigationEvent<Page>,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  // Deadlines are absolute and are applied before the event, so a busy main thread postpones nothing.
  const { state, effects } = applyDeadlines(before, now, rules);
  return after(effects, react(state, event, now, rules));
}

/** Prepends effects to a step. */
function after<Page>(effects: readonly Effect<Page>[], next: StepResult<Page>): StepResult<Page> {
  return { state: next.state, effects: [...effects, ...next.effects] };
}

/** When the next deadline passes. */
export function nextDueAt<Page>(state: NavigationState<Page>, limits: BrowserLimits): number {
  if (state.kind === "idle") return Number.POSITIVE_INFINITY;
  if (state.kind !== "loading") return state.dueAt;
  const { at } = deadline(state, limits);
  return state.reach === "unknown" ? Math.max(at - limits.probeMs, state.startedAt) : at;
}

function react<Page extends AnswerSummary>(
  state: NavigationState<Page>,
  event: NavigationEvent<Page>,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  switch (event.kind) {
    case "started":
      return start(state, event.target, now, rules);
    case "tick":
      return unchanged(state);
    case "escape":
    case "page-returned":
      return drop(state, "cancelled");
    case "set-aside":
      return drop(state, "superseded");
    case "page-left":
      // A full load leaves the page too, but its navigation has already ended.
      return state.kind === "leaving" ? unchanged(state) : drop(state, "cancelled");
    case "retry":
      return state.kind === "held" && !state.probing ? probeHeld(state, now, rules) : unchanged(state);
    default:
      // Events for a navigation that has already ended are ignored.
      return state.kind === "idle" || state.id !== event.id ? unchanged(state) : progress(state, event, now, rules);
  }
}

function progress<Page extends AnswerSummary>(
  state: Exclude<NavigationState<Page>, { kind: "idle" }>,
  event: Exclude<
    NavigationEvent<Page>,
    { kind: "started" | "tick" | "escape" | "set-aside" | "retry" | "page-left" | "page-returned" }
  >,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  if (event.kind === "probed") return handleProbe(state, event.reachable, now, rules);
  if (state.kind !== "loading") return unchanged(state);
  switch (event.kind) {
    case "alive":
      return unchanged({ ...state, lastByteAt: now, reach: "unknown" });
    case "answered":
      return handleAnswer(
        { ...state, page: event.page, source: event.source, lastByteAt: now },
        event.page,
        now,
        rules,
      );
    case "redirected":
      return followRedirect(state, event.to, now, rules);
    case "data-failed":
      if (event.joined)
        return { state, effects: [{ kind: "get-page", id: state.id, target: state.target, refetch: true }] };
      return handleFailure(state, event.reason, now, rules);
    case "code-ready":
      return tryCommit({ ...state, code: "ready" });
    case "code-failed":
      return handleFailure(state, event.reason, now, rules);
  }
}

function start<Page extends AnswerSummary>(
  state: NavigationState<Page>,
  target: NavigationTarget,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  // The same link twice while it is pending is one navigation. Beginning again would also stop a full load, so that
  // repeated clicks on a slow page would never arrive.
  const isPending = state.kind !== "idle" && state.kind !== "held";
  if (isPending && state.target.to === target.to && state.target.how === target.how) return unchanged(state);
  const { state: free, effects } = drop(state, "superseded");
  const since = { redirects: 0, capAt: now + rules.limits.navigationCapMs };
  return after(effects, begin({ id: free.nextId, target, ...since }, now, rules));
}

function begin<Page extends AnswerSummary>(
  next: Omit<ActiveNavigation, "startedAt">,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  const { id, target } = next;
  const { to } = target;
  const underway = { ...next, nextId: id + 1, startedAt: now };
  const effects: Effect<Page>[] = [{ kind: "begin", id, target }];
  const judged = rules.judge(to);
  if (judged !== "page") {
    return after(effects, leave(underway, judged === "foreign" ? "foreign-redirect" : "unknown-route", now, rules));
  }
  effects.push({ kind: "get-page", id, target, refetch: false }, { kind: "load-code", id, to });
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

function handleAnswer<Page extends AnswerSummary>(
  state: Loading<Page> & { nextId: number },
  page: Page,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  if (page.policy !== rules.policy) return handleFailure(state, "other-policy", now, rules);
  if (page.plain) return tryCommit(state);
  // Which `_error` or `_not-found` file is needed is known only now, so its time counts from now.
  return {
    state: { ...state, code: "loading", codeDueAt: now + rules.limits.routeLoadMs, reach: "unknown" },
    effects: [{ kind: "load-code", id: state.id, to: state.target.to, page }],
  };
}

/** Shows the page once both data and code have arrived. */
function tryCommit<Page extends AnswerSummary>(state: Loading<Page> & { nextId: number }): StepResult<Page> {
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

function followRedirect<Page extends AnswerSummary>(
  state: Loading<Page> & { nextId: number },
  to: string,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  const { id, redirects, capAt, nextId, target: requested } = state;
  const effects: Effect<Page>[] = [
    { kind: "abort", id },
    { kind: "ended", id, outcome: { kind: "redirected", to } },
  ];
  const how = requested.how === "reload" ? "replace" : requested.how;
  // The page of a redirect is another one than the link named, such as a sign-in: it is not shown as a dialog.
  const manner = requested.manner && { ...requested.manner, dialog: false };
  const target: NavigationTarget = { ...requested, to: keepHash(requested.to, to), how, ...(manner && { manner }) };
  if (redirects >= rules.limits.redirectsAtMost) {
    effects.push({ kind: "begin", id: nextId, target }, ...failWith<Page>(nextId, target, "redirect-loop"));
    return { state: { kind: "idle", nextId: nextId + 1 }, effects };
  }
  return after(effects, begin({ id: nextId, target, redirects: redirects + 1, capAt }, now, rules));
}

/** The soft navigation has failed: decides between a full load, a probe and holding. */
function handleFailure<Page extends AnswerSummary>(
  state: Loading<Page> & { nextId: number },
  reason: FullLoadReason,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  const abort: Effect<Page> = { kind: "abort", id: state.id };
  if (!doubtful.has(reason) || state.reach === "reachable") return after([abort], leave(state, reason, now, rules));
  if (state.reach === "unreachable") return after([abort], hold(state, now, rules));
  // The early probe is still pending; its result is used.
  const isProbing = state.reach === "pending";
  const dueAt = isProbing ? state.reachDueAt : now + rules.limits.probeMs;
  return {
    state: { ...underwayOf(state), kind: "probing", reason, dueAt },
    effects: isProbing ? [abort] : [abort, { kind: "probe", id: state.id }],
  };
}

function handleProbe<Page extends AnswerSummary>(
  state: Exclude<NavigationState<Page>, { kind: "idle" }>,
  reachable: boolean,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  switch (state.kind) {
    case "loading":
      return unchanged(
        state.reach === "pending" ? { ...state, reach: reachable ? "reachable" : "unreachable" } : state,
      );
    case "probing":
      return reachable ? leave(state, state.reason, now, rules) : hold(state, now, rules);
    case "held":
      if (!state.probing) return unchanged(state);
      return reachable ? resume(state, now, rules) : { state: scheduleRetry(state, now, rules), effects: [] };
    case "leaving":
      return unchanged(state);
  }
}

function leave<Page extends AnswerSummary>(
  state: ActiveNavigation & { nextId: number },
  reason: FullLoadReason,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  const { id, nextId, target } = state;
  if (!rules.mayFullLoad(target, reason))
    return { state: { kind: "idle", nextId }, effects: failWith(id, target, reason) };
  return {
    state: { ...underwayOf(state), kind: "leaving", dueAt: now + rules.limits.handOverWatchMs },
    effects: [
      { kind: "full-load", target, reason },
      { kind: "ended", id, outcome: { kind: "handed-over", reason } },
    ],
  };
}

function failWith<Page>(id: number, target: NavigationTarget, reason: string): Effect<Page>[] {
  return [
    { kind: "show-error", id, target, reason },
    { kind: "ended", id, outcome: { kind: "failed", reason } },
  ];
}

function hold<Page>(
  state: ActiveNavigation & { nextId: number },
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  return {
    state: scheduleRetry({ ...underwayOf(state), tries: 0 }, now, rules),
    effects: [
      { kind: "ended", id: state.id, outcome: { kind: "held" } },
      { kind: "connection", state: "lost" },
    ],
  };
}

function scheduleRetry<Page>(
  state: ActiveNavigation & { nextId: number; tries: number },
  now: number,
  { limits }: NavigationRules,
): NavigationState<Page> {
  const { retryMs } = limits;
  const wait = retryMs[Math.min(state.tries, retryMs.length - 1)] ?? limits.navigationCapMs;
  return { ...underwayOf(state), kind: "held", tries: state.tries + 1, probing: false, dueAt: now + wait };
}

function probeHeld<Page>(state: Held & { nextId: number }, now: number, rules: NavigationRules): StepResult<Page> {
  return {
    state: { ...state, probing: true, dueAt: now + rules.limits.probeMs },
    effects: [{ kind: "probe", id: state.id }],
  };
}

function resume<Page extends AnswerSummary>(
  state: Held & { nextId: number },
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  const { nextId: id, target, redirects } = state;
  const next = { id, target, redirects, capAt: now + rules.limits.navigationCapMs };
  return after([{ kind: "connection", state: "back" }], begin(next, now, rules));
}

/** Applies passed deadlines. In each state at most one can have passed, and each transition sets a later one. */
function applyDeadlines<Page extends AnswerSummary>(
  state: NavigationState<Page>,
  now: number,
  rules: NavigationRules,
): StepResult<Page> {
  if (now < nextDueAt(state, rules.limits)) return unchanged(state);
  switch (state.kind) {
    case "idle":
      return unchanged(state);
    case "loading": {
      const due = deadline(state, rules.limits);
      if (now >= due.at) return handleFailure(state, due.reason, now, rules);
      return {
        state: { ...state, reach: "pending", reachDueAt: now + rules.limits.probeMs },
        effects: [{ kind: "probe", id: state.id }],
      };
    }
    case "probing":
      return hold(state, now, rules);
    case "held":
      return state.probing ? { state: scheduleRetry(state, now, rules), effects: [] } : probeHeld(state, now, rules);
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

/** Ends the active navigation. Held and handed-over navigations have already ended. */
function drop<Page>(state: NavigationState<Page>, outcome: "superseded" | "cancelled"): StepResult<Page> {
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

function unchanged<Page>(state: NavigationState<Page>): StepResult<Page> {
  return { state, effects: [] };
}

function underwayOf(state: ActiveNavigation & { nextId: number }): ActiveNavigation & { nextId: number } {
  const { id, nextId, target, startedAt, capAt, redirects } = state;
  return { id, target, nextId, startedAt, capAt, redirects };
}

/** A redirect without a hash keeps the hash of the original target. */
function keepHash(from: string, to: string): string {
  return to.includes("#") || !from.includes("#") ? to : to + from.slice(from.indexOf("#"));
}
