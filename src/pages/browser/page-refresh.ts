import type { Freshness } from "./page-freshness.ts";

/**
 * When a page that is in doubt is asked for again: once, when nothing is under way that changes it, brings it or leads
 * away from it. Pure, as `page-freshness.ts` is; a file of its own, because it comes with the forms.
 */
export function refreshDueAt(page: Freshness, busy: boolean): number {
  // A page that is only old is in doubt too, before anything has changed: then `changed` is 0.
  const { asOf, changed, going, refresh = -1, retryAt } = page;
  const isOwed = asOf < changed && going === undefined && !busy && refresh < changed;
  return isOwed ? retryAt : Number.POSITIVE_INFINITY;
}

/** It is asked for. A request that never ends is followed by another one. */
export function refreshing(page: Freshness, retryAt: number): Freshness {
  const clock = page.clock + 1;
  return { ...page, clock, refresh: clock, retryAt };
}

/** What was asked for at this clock is here, or has failed. It is shown where `asOf` has moved. */
export function refreshed(page: Freshness, clock: number, ok: boolean): Freshness {
  // Of another page, or followed by a newer one.
  if (page.refresh !== clock) return page;
  const asOf = ok ? Math.max(page.asOf, clock) : page.asOf;
  return { ...page, refresh: undefined, asOf };
}
