import {
  addTallies,
  evidenceAgainst,
  failsMore,
  noRequests,
  nothingSeen,
  type Observation,
  observe,
  type Tally,
} from "./evidence.ts";
import type { HealingLimits } from "./limits.ts";

/**
 * Which build answers one route of a release, as a pure state machine.
 *
 * | state    | answered by      | left when |
 * |----------|------------------|-----------|
 * | `new`    | the new build    | it fails more than the build before: `before`, or `kept` if that is impossible |
 * | `before` | the build before | its time is over: `trial`. The build before fails as well: `new` |
 * | `trial`  | the build before | requests in the background succeed on the new build: `new`; else `before`, longer |
 * | `kept`   | the new build    | the next release |
 *
 * The waits double, so a route changes at most twice for each doubling of the time since the release.
 */
export type HealingRecord = { pin?: BuildChoice | undefined } & (
  | { at: "new"; heals: number; watchFrom: number; seen: Observation; triable: number }
  | { at: "before"; heals: number; until: number; rate: number; tally: Tally; cause: HealingCause }
  | { at: "trial"; heals: number; rate: number; tally: Tally; cause: HealingCause }
  | { at: "kept"; why: string; cause: HealingCause }
);

/** For people: when the route was found to fail, and what was counted on each build until then. */
export interface HealingCause {
  since: number;
  new: Tally;
  before: Tally;
}

export type BuildChoice = "new" | "before";

export type RouteEvent =
  /** `triable`: failures of requests that can be tried in the background, which are those that only read a page. */
  | { kind: "counted"; on: BuildChoice | "trial"; tally: Tally; triable: number }
  | { kind: "time" }
  /** The build before cannot answer this route. */
  | { kind: "unusable"; why: string }
  | { kind: "pinned"; to: BuildChoice }
  | { kind: "unpinned" }
  /** Another process or machine with the same two builds has decided. */
  | { kind: "decided"; answers: BuildChoice; heals: number; cause?: HealingCause | undefined };

/** What people should know. */
export type RouteNotice =
  | { kind: "healed" }
  | { kind: "not-healed"; why: string }
  | { kind: "returned" }
  | { kind: "fails-on-both" };

export interface RouteRules {
  /** Counts of this route on the build before. */
  baseline: Tally;
  /** Why no route of this release is healed, if so. */
  never: string | undefined;
  limits: Pick<HealingLimits, "firstWaitMs" | "longestWaitMs">;
}

export interface RouteStep {
  record: HealingRecord;
  notice?: RouteNotice;
}

export const newRoute: HealingRecord = newAfter(0);

function newAfter(heals: number, watchFrom = 0): HealingRecord {
  return { at: "new", heals, watchFrom, seen: nothingSeen, triable: 0 };
}

/** The build that answers the visitors of a route. */
export function answersOf({ pin, at }: HealingRecord): BuildChoice {
  return pin ?? (at === "before" || at === "trial" ? "before" : "new");
}

/** Whether requests in the background try the new build. */
export function isTried({ pin, at }: HealingRecord): boolean {
  return pin === undefined && at === "trial";
}

export function stepRoute(record: HealingRecord, event: RouteEvent, now: number, rules: RouteRules): RouteStep {
  if (event.kind === "pinned") return { record: pin(record, event.to, rules) };
  if (event.kind === "unpinned") return { record: record.pin ? newRoute : record };
  // Nothing is concluded while an operator decides, except that their choice is impossible.
  if (event.kind === "unusable") return unusable(record, event.why, now);
  if (record.pin !== undefined) return { record };
  if (event.kind === "decided") return adopt(record, event, now, rules);
  if (event.kind === "counted") return count(record, event, now, rules);
  return record.at === "before" && now >= record.until ? { record: startTrial(record) } : { record };
}

/** A build that cannot answer cannot be chosen. */
function pin(record: HealingRecord, to: BuildChoice, { never }: RouteRules): HealingRecord {
  return to === "before" && (never !== undefined || record.at === "kept") ? record : { ...record, pin: to };
}

type Counted = Extract<RouteEvent, { kind: "counted" }>;

function count(record: HealingRecord, event: Counted, now: number, rules: RouteRules): RouteStep {
  if (record.at === "kept" || event.on !== record.at) return { record };
  if (record.at === "new") return now < record.watchFrom ? { record } : judgeNew(record, event, now, rules);
  const counted = { ...record, tally: addTallies(record.tally, event.tally) };
  return counted.at === "before" ? judgeBefore(counted, now, rules) : judgeTrial(counted, now, rules);
}

type At<Name extends HealingRecord["at"]> = Extract<HealingRecord, { at: Name }>;

function judgeNew(record: At<"new">, event: Counted, now: number, { baseline, never, limits }: RouteRules): RouteStep {
  const seen = observe(record.seen, event.tally);
  const triable = record.triable + event.triable;
  if (!failsMore(seen, baseline, record.heals)) return { record: { ...record, seen, triable } };
  const cause = { since: now, new: seen.all, before: baseline };
  if (never !== undefined) return keep(never, cause);
  const heals = record.heals + 1;
  // A request in the background must not run an action, so a route whose actions fail waits for the next release.
  const until = triable * 2 >= seen.all.failures ? now + waitAfter(heals, limits) : Number.MAX_SAFE_INTEGER;
  const rate = Math.max(rateOf(seen.all), rateOf(seen.recent));
  return { record: { at: "before", heals, until, rate, tally: noRequests, cause }, notice: { kind: "healed" } };
}

function rateOf({ requests, failures }: Tally): number {
  return requests === 0 ? 0 : failures / requests;
}

/** Evidence of 100 to 1 that the build before fails at least half as often: the cause is not the release. */
const enoughAgainstBefore = Math.log(100);

function judgeBefore(record: At<"before">, now: number, { limits }: RouteRules): RouteStep {
  if (evidenceAgainst(record.rate / 2, record.tally) < enoughAgainstBefore) return { record };
  const { heals } = record;
  const watchFrom = now + waitAfter(heals, limits);
  return { record: newAfter(heals, watchFrom), notice: { kind: "fails-on-both" } };
}

/** With so many successes, a route that still fails at its rate would have passed with a chance of e^-5. */
function trialSize(rate: number): number {
  return Math.min(500, Math.max(10, Math.ceil(5 / rate)));
}

function judgeTrial(record: At<"trial">, now: number, { limits }: RouteRules): RouteStep {
  const { heals, rate, tally, cause } = record;
  const { requests, failures } = tally;
  const size = trialSize(rate);
  const passes = requests >= size && failures <= (requests * rate) / 4;
  if (passes) return { record: newAfter(heals), notice: { kind: "returned" } };
  const fails = (failures >= 2 && failures > (requests * rate) / 2) || requests >= 4 * size;
  if (!fails) return { record };
  const next = heals + 1;
  const until = now + waitAfter(next, limits);
  return { record: { at: "before", heals: next, until, rate, tally: noRequests, cause } };
}

function startTrial({ heals, rate, cause }: At<"before">): HealingRecord {
  return { at: "trial", heals, rate, tally: noRequests, cause };
}

function unusable(record: HealingRecord, why: string, now: number): RouteStep {
  if (answersOf(record) !== "before") return { record };
  return keep(why, record.at === "new" ? uncounted(now) : record.cause);
}

function keep(why: string, cause: HealingCause): RouteStep {
  return { record: { at: "kept", why, cause }, notice: { kind: "not-healed", why } };
}

/** Of a decision that was made elsewhere, or by hand. */
function uncounted(since: number): HealingCause {
  return { since, new: noRequests, before: noRequests };
}

function adopt(
  record: HealingRecord,
  { answers, heals, cause }: Extract<RouteEvent, { kind: "decided" }>,
  now: number,
  { never, limits }: RouteRules,
): RouteStep {
  if (record.at === "kept" || answersOf(record) === answers) return { record };
  if (placeInOrder(answers, heals) <= placeInOrder(answersOf(record), record.heals)) return { record };
  if (answers === "new") return { record: newAfter(heals) };
  if (never !== undefined) return { record };
  const until = now + waitAfter(heals, limits);
  return { record: { at: "before", heals, until, rate: 1, tally: noRequests, cause: cause ?? uncounted(now) } };
}

/** A route is healed, comes back, is healed again: what was decided later has the higher number. */
function placeInOrder(answers: BuildChoice, heals: number): number {
  return 2 * heals - (answers === "before" ? 1 : 0);
}

function waitAfter(heals: number, { firstWaitMs, longestWaitMs }: RouteRules["limits"]): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (heals - 1));
}
