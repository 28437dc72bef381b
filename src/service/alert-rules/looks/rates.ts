import type { AlertRule } from "../../alerts/alert-settings.ts";
import { dayMs, hourMs } from "../../clock.ts";
import { sessionHealth } from "../../queries/crash-free.ts";
import { sketchCount } from "../../sketches/quantile-sketch.ts";
import type { StoreReader } from "../../stores/store.ts";
import { errorCount } from "../../stores/values/page-counts.ts";
import { isAmong, passesRoute } from "./rule-filters.ts";

/** What is wrong in an hour, in words; undefined if it is as in the same hour of last week. */
export type RateFinding = string | undefined;

export interface RatedHour {
  readonly project: number;
  readonly rule: AlertRule;
  /** Beginning of the hour. */
  readonly hour: number;
}

export type RateOf = (store: StoreReader, rated: RatedHour) => Promise<RateFinding>;

/** Fewer errors say little, even if they are many times as many as last week. */
export const leastErrors = 10;
/** With fewer sessions, one crash would be percents. */
export const leastSessions = 50;
const weekMs = 7 * dayMs;

/** Errors for each served page, or errors alone where no requests are reported. */
export const errorRate: RateOf = async (store, { project, rule, hour }) => {
  const [now, before] = await Promise.all(
    [hour, hour - weekMs].map((from) => errorsIn(store, { project, rule, hour: from })),
  );
  if (now === undefined || before === undefined || now.errors < leastErrors) return undefined;
  const isComparable = now.served > 0 && before.served > 0;
  const [rate, usual] = isComparable
    ? [now.errors / now.served, Math.max(1, before.errors) / before.served]
    : [now.errors, Math.max(1, before.errors)];
  if (rate < rule.factor * usual) return undefined;
  const of = ({ served }: { served: number }, words: string): string =>
    isComparable ? ` in ${served.toLocaleString("en-US")}${words}` : "";
  return `${now.errors} errors${of(now, " requests")} in an hour; in the same hour of last week ${before.errors}${of(before, "")}`;
};

async function errorsIn(store: StoreReader, { project, rule, hour }: RatedHour) {
  const query = { project, step: "hour", from: hour, to: hour + hourMs - 1 } as const;
  const { routes } = rule.filters;
  const [counts, measures] = await Promise.all([
    store.counts({ ...query, name: errorCount }),
    store.measuresByRoute(query),
  ]);
  const errors = counts.filter(({ route }) => passesRoute(routes, route)).reduce((sum, { n }) => sum + n, 0);
  const served = [...measures]
    .filter(([route]) => passesRoute(routes, route))
    .reduce((sum, [, sketches]) => sum + sketchCount(sketches.get("request") ?? new Map()), 0);
  return { errors, served };
}

/** Sessions without a crash, in percent. */
export const crashFree: RateOf = async (store, { project, rule, hour }) => {
  const [now, before] = await Promise.all(
    [hour, hour - weekMs].map(async (from) => {
      const sessions = await store.sessions(project, from, from + hourMs - 1);
      return sessionHealth(sessions.filter(({ environment }) => isAmong(rule.filters.environments, environment)));
    }),
  );
  if (now?.crashFree === undefined || before?.crashFree === undefined) return undefined;
  if (now.started < leastSessions || before.started < leastSessions) return undefined;
  if (before.crashFree - now.crashFree < rule.factor / 100) return undefined;
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return `${percent(now.crashFree)} of sessions in an hour had no crash; in the same hour of last week ${percent(before.crashFree)}`;
};
