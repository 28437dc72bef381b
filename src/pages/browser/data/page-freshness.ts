/**
 * Whether the page on screen is current. Pure: each function takes a state and returns the next one.
 *
 * `clock` is not a time: it counts clicks, requests, responses and changes, so that any two of them can be ordered. The
 * `asOf` of a page is the clock of its request. `changed` is the clock of the last change that is known or may have
 * happened. A page whose `asOf` is lower than `changed` is in doubt. This one comparison decides for the page on
 * screen, for kept pages, for prefetches, and for responses that arrive out of order.
 */
export interface Freshness {
  clock: number;
  changed: number;
  /** Counts the pages shown, so that a form sent from an earlier page is not taken for one of this page. */
  pageNumber: number;
  /** Of the page on screen. */
  asOf: number;
  /** Clock of the pending navigation, if there is one. */
  navigating: number | undefined;
  /** Clock of the pending refresh of this page, if there is one. */
  refresh: number | undefined;
  /** Earliest time of the next refresh attempt. */
  retryAt: number;
}

export const firstPage: Freshness = {
  clock: 1,
  changed: 0,
  pageNumber: 1,
  asOf: 1,
  navigating: undefined,
  refresh: undefined,
  retryAt: 0,
};

/** The visitor starts a navigation. */
export function navigationStarted(page: Freshness): Freshness {
  const clock = page.clock + 1;
  return { ...page, clock, navigating: clock };
}

/** Another page is shown. `inPlace`: the same page again. */
export function navigationCommitted(page: Freshness, asOf: number, inPlace: boolean): Freshness {
  const pageNumber = inPlace ? page.pageNumber : page.pageNumber + 1;
  return { ...page, pageNumber, asOf, navigating: undefined, refresh: undefined, retryAt: 0 };
}

/** The navigation has ended without another page. */
export function navigationAbandoned(page: Freshness): Freshness {
  return { ...page, navigating: undefined };
}

/** What has changed, with the change before at `since`, is nothing of this page: it is as current as it was. */
export function spared(page: Freshness, since: number): Freshness {
  return page.asOf >= since ? { ...page, asOf: page.clock } : page;
}

/** Something has changed, or may have: earlier pages are in doubt, and the page may be fetched again at once. */
export function changed(page: Freshness): Freshness {
  const clock = page.clock + 1;
  return { ...page, clock, changed: clock, retryAt: 0 };
}
