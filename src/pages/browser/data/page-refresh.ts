import type { Freshness } from "./page-freshness.ts";

/**
 * Returns when a page in doubt is fetched again: once, and only while no submission, request or navigation is pending
 * that would change or replace it. Pure, like `page-freshness.ts`; a file of its own, because it loads with the forms.
 */
export function refreshDueAt(page: Freshness, busy: boolean): number {
  // A page that is only old (`asOf` -1) is in doubt even before any change, while `changed` is 0.
  const { asOf, changed, navigating, refresh = -1, retryAt } = page;
  const isOwed = asOf < changed && navigating === undefined && !busy && refresh < changed;
  return isOwed ? retryAt : Number.POSITIVE_INFINITY;
}

/** The refresh has started. If it never ends, another follows at `retryAt`. */
export function refreshing(page: Freshness, retryAt: number): Freshness {
  const clock = page.clock + 1;
  return { ...page, clock, refresh: clock, retryAt };
}

/** The refresh of this clock has succeeded or failed. Its page is shown only if `asOf` has moved. */
export function refreshed(page: Freshness, clock: number, ok: boolean): Freshness {
  // It belongs to another page, or a newer refresh has replaced it.
  if (page.refresh !== clock) return page;
  if (!ok) return { ...page, refresh: undefined };
  return { ...page, refresh: undefined, asOf: Math.max(page.asOf, clock), retryAt: 0 };
}
