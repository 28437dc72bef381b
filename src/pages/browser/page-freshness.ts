/**
 * Whether the page that is shown is true, and when it is asked for again. Pure, like `navigation-record.ts`.
 *
 * `clock` is no time: it counts presses, sendings, answers and changes, so that any two of them can be ordered. A page is as of the clock at which it was
 * asked for. `changed` is the clock of the last change that is known of, or that may have taken place. A page whose `asOf` lies before `changed` is in
 * doubt. This one comparison decides for the page that is shown, for those behind Back, for prefetches and for answers that arrive in the wrong order.
 */
export interface Freshness {
  clock: number;
  changed: number;
  /** Counts the pages that were shown: what was pressed in an earlier one must not be mistaken for this one's. */
  place: number;
  /** Of the page that is shown. */
  asOf: number;
  /** The visitor is on the way to another page, and asked for it at this clock. */
  going: number | undefined;
  /** The page that is shown is being asked for again, since this clock. */
  refresh: number | undefined;
  /** Refreshes that failed, one after the other. */
  failures: number;
  refreshDueAt: number;
}

export type FreshnessEvent =
  | { kind: "went" }
  /** Another page is shown; `inPlace`: the same one again. */
  | { kind: "arrived"; asOf: number; inPlace: boolean }
  /** The navigation has ended, and the page is still the one before. */
  | { kind: "stayed" }
  /** Something was changed in another tab, by a document without script, or by the application itself. */
  | { kind: "heard"; session: boolean }
  | { kind: "refreshed"; clock: number; ok: boolean }
  | { kind: "tick" };

export type FreshnessEffect =
  /** Prefetches go and kept pages are in doubt. `session`: kept pages go as well. `tell`: the other tabs hear of it. */
  { kind: "forget"; tell: boolean; session: boolean } | { kind: "refresh"; clock: number } | { kind: "show-refreshed" };

export interface Freshened {
  page: Freshness;
  effects: FreshnessEffect[];
}

export const firstPage: Freshness = {
  clock: 1,
  changed: 0,
  place: 1,
  asOf: 1,
  going: undefined,
  refresh: undefined,
  failures: 0,
  refreshDueAt: 0,
};

export function freshen(page: Freshness, event: FreshnessEvent): Freshened {
  switch (event.kind) {
    case "went":
      return only(goingNow(page));
    case "arrived": {
      const place = event.inPlace ? page.place : page.place + 1;
      return only({ ...page, place, asOf: event.asOf, going: undefined, refresh: undefined, failures: 0 });
    }
    case "stayed":
      return only({ ...page, going: undefined });
    case "heard":
      return { page: changedNow(page), effects: [{ kind: "forget", tell: false, session: event.session }] };
    case "refreshed":
      return refreshed(page, event.clock, event.ok);
    case "tick":
      return only(page);
  }
}

/** After every event: a page that is in doubt is asked for once, when nothing that could change it is still under way. */
export function refreshWhenOwed(page: Freshness, busy: boolean, now: number, retryMs: readonly number[]): Freshened {
  if (!isOwed(page, busy) || now < page.refreshDueAt) return only(page);
  const clock = page.clock + 1;
  // Counts from the sending: a refresh that never ends is asked for again as well.
  const refreshDueAt = now + (retryMs[Math.min(page.failures, retryMs.length - 1)] ?? 0);
  return { page: { ...page, clock, refresh: clock, refreshDueAt }, effects: [{ kind: "refresh", clock }] };
}

export function refreshDueAt(page: Freshness, busy: boolean): number {
  return isOwed(page, busy) ? page.refreshDueAt : Number.POSITIVE_INFINITY;
}

function isOwed({ asOf, changed, going, refresh }: Freshness, busy: boolean): boolean {
  return asOf < changed && going === undefined && !busy && (refresh === undefined || refresh < changed);
}

function refreshed(page: Freshness, clock: number, ok: boolean): Freshened {
  // Of another page, or taken over by a newer one.
  if (page.refresh !== clock) return only(page);
  const idle = { ...page, refresh: undefined };
  if (!ok) return only({ ...idle, failures: page.failures + 1 });
  if (clock <= page.asOf) return only(idle);
  return { page: { ...idle, asOf: clock, failures: 0, refreshDueAt: 0 }, effects: [{ kind: "show-refreshed" }] };
}

/** A change is known of: what was asked for before it is in doubt, and may be asked for at once. */
export function changedNow(page: Freshness): Freshness {
  const clock = page.clock + 1;
  return { ...page, clock, changed: clock, failures: 0, refreshDueAt: 0 };
}

export function goingNow(page: Freshness): Freshness {
  const clock = page.clock + 1;
  return { ...page, clock, going: clock };
}

function only(page: Freshness): Freshened {
  return { page, effects: [] };
}
