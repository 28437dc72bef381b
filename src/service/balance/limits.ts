import { dayMs, hourMs } from "../clock.ts";
import { readCount } from "../read-count.ts";

/** Bounds of the balance. Operators set `graceMs` and `gaveUpMs`; the others bound work and memory. */
export interface BalanceLimits {
  /** Interval of the comparison. */
  everyMs: number;
  /** So long, one process compares for all. Its successor begins after it. */
  leaseMs: number;
  /**
   * An hour is closed so long after its end. Deliveries are tried again within 30 s and a deploy takes minutes, so that
   * what is missing then has been lost or waits in an outbox that says so.
   */
  graceMs: number;
  /** A visitor who reaches nothing for so long after an error gave up: a longer pause ends a visit. */
  gaveUpMs: number;
  /** A source that has said within this time that its reports wait still has them. It says so every minute. */
  waitingMs: number;
  /** After a longer pause of the comparison, the service may have been away. */
  pauseMs: number;
  /** After such a pause, outboxes get this time to deliver or to say that they wait: twice their slowest interval. */
  settleMs: number;
  /** So long, an event may still arrive: outboxes keep reports for a day. */
  lateMs: number;
  /** Books are kept for four weeks, as far back as the overview compares. */
  keptMs: number;
  /** Error pages of a project and hour that are compared one by one. More are an outage that no list explains. */
  pagesPerHour: number;
  /** Processes that count for a project in one hour. More are not an application but someone who invents them. */
  sourcesPerHour: number;
  /** Error pages whose events are looked for in one turn. */
  pagesPerTurn: number;
  /** Error pages, submissions or navigations that an event about a difference names. */
  examples: number;
}

export const balanceLimits: BalanceLimits = {
  everyMs: 10_000,
  leaseMs: 25_000,
  graceMs: 600_000,
  gaveUpMs: 1_800_000,
  waitingMs: 300_000,
  pauseMs: 60_000,
  settleMs: 120_000,
  lateMs: dayMs + hourMs,
  keptMs: 28 * dayMs,
  pagesPerHour: 10_000,
  sourcesPerHour: 1_000,
  pagesPerTurn: 500,
  examples: 20,
};

/** Applies the operator's settings, in minutes. */
export function balanceLimitsOf(env: NodeJS.ProcessEnv): Partial<BalanceLimits> {
  const grace = readCount(env, "HOLDFAST_BALANCE_GRACE_MINUTES");
  const gaveUp = readCount(env, "HOLDFAST_GAVE_UP_MINUTES");
  return {
    ...(grace !== undefined && { graceMs: grace * 60_000 }),
    ...(gaveUp !== undefined && { gaveUpMs: gaveUp * 60_000 }),
  };
}
