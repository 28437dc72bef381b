import { type AfterErrors, readAfterErrors } from "../balance/after-errors.ts";
import { type HourBooks, readBooks } from "../balance/hour-books.ts";
import { type HourTally, readTallies } from "../balance/hour-tallies.ts";
import { balanceLimits, balanceLimitsOf } from "../balance/limits.ts";
import { dayMs, hourMs } from "../clock.ts";
import type { SharedState } from "../shared/shared-state.ts";
import type { StoreReader } from "../stores/store.ts";

/** Both sides of the three books of one hour, and what was left out of reports on purpose. */
export interface BalanceHour extends Omit<HourBooks, "project" | "book"> {
  readonly at: number;
  readonly submissions: BalanceTally;
  readonly navigations: BalanceTally;
  /** Errors that a rule of a client left out, by rule. They are no difference: no page promised them. */
  readonly leftOut: readonly { readonly reason: string; readonly n: number }[];
}

export type BalanceTally = Pick<HourTally, "begun" | "ends" | "running" | "missing">;

export interface BalanceApi {
  /** The last hours, newest first, those in which nothing happened included. */
  hours(project: number, count: number): Promise<readonly BalanceHour[]>;
  /** Visitors of the last 24 hours. Undefined while no client has said anything about its error pages. */
  afterErrors(project: number): Promise<AfterErrors | undefined>;
}

export interface BalanceApiDeps {
  readonly shared: Pick<SharedState, "balanceTables">;
  readonly store: () => Promise<StoreReader>;
  readonly now: () => number;
}

export function openBalanceApi({ shared, store, now }: BalanceApiDeps): BalanceApi {
  const limits = { ...balanceLimits, ...balanceLimitsOf(process.env) };
  return {
    async hours(project, count) {
      const at = now();
      const to = Math.floor(at / hourMs);
      const from = to - count + 1;
      const tables = shared.balanceTables();
      const query = { project, from, to, now: at, limits };
      const [books, tallies, discards] = await Promise.all([
        tables === undefined ? [] : readBooks(tables, query),
        tables === undefined ? [] : readTallies(tables, query),
        (await store()).discards(project, from * hourMs, at),
      ]);
      const byHour = new Map(books.map((one) => [one.hour, one]));
      const errors = Map.groupBy(
        discards.filter(({ category }) => category === "error"),
        (one) => Math.floor(one.at / hourMs),
      );
      return Array.from({ length: count }, (_, n) => to - n).map((hour) => ({
        ...(byHour.get(hour) ?? emptyHour(hour, at, limits.graceMs)),
        at: hour * hourMs,
        submissions: tallyIn(tallies, "submissions", hour),
        navigations: tallyIn(tallies, "navigations", hour),
        leftOut: (errors.get(hour) ?? []).map(({ reason, n }) => ({ reason, n })),
      }));
    },
    async afterErrors(project) {
      const tables = shared.balanceTables();
      const at = now();
      const hours = { from: Math.floor((at - dayMs) / hourMs) + 1, to: Math.floor(at / hourMs) };
      const found = tables && (await readAfterErrors(tables, { project, ...hours }));
      return found?.visitors === 0 ? undefined : found;
    },
  };
}

function tallyIn(tallies: readonly HourTally[], book: HourTally["book"], hour: number): BalanceTally {
  const found = tallies.find((one) => one.book === book && one.hour === hour);
  return found ?? { begun: 0, ends: {}, running: 0, missing: [] };
}

function emptyHour(hour: number, now: number, graceMs: number): Omit<HourBooks, "project" | "book"> {
  const isClosed = (hour + 1) * hourMs + graceMs <= now;
  return { hour, isClosed, shown: 0, filed: 0, declared: 0, onTheirWay: 0, missing: [] };
}
