/**
 * Whether the page that is shown is true. Pure: each function takes what is known and returns what is known then.
 *
 * `clock` is no time: it counts presses, sendings, answers and changes, so that any two of them can be ordered. A page
 * is as of the clock at which it was asked for. `changed` is the clock of the last change that is known of, or that may
 * have taken place. A page whose `asOf` lies before `changed` is in doubt. This one comparison decides for the page
 * that is shown, for those behind Back, for prefetches, and for answers that arrive in the wrong order.
 */
export interface Freshness {
  clock: number;
  changed: number;
  /** Counts the pages that were shown: what was pressed in an earlier one is not mistaken for this one's. */
  place: number;
  /** Of the page that is shown. */
  asOf: number;
  /** The visitor is on the way to another page, and asked for it at this clock. */
  going: number | undefined;
  /** The page that is shown is being asked for again, since this clock. */
  refresh: number | undefined;
  /** When it may be asked for once more, if it does not come. */
  retryAt: number;
}

export const firstPage: Freshness = {
  clock: 1,
  changed: 0,
  place: 1,
  asOf: 1,
  going: undefined,
  refresh: undefined,
  retryAt: 0,
};

/** The visitor asks for another page. */
export function went(page: Freshness): Freshness {
  const clock = page.clock + 1;
  return { ...page, clock, going: clock };
}

/** Another page is shown. `inPlace`: the same one again. */
export function arrived(page: Freshness, asOf: number, inPlace: boolean): Freshness {
  const place = inPlace ? page.place : page.place + 1;
  return { ...page, place, asOf, going: undefined, refresh: undefined, retryAt: 0 };
}

/** The navigation has ended, and the page is still the one before. */
export function stayed(page: Freshness): Freshness {
  return { ...page, going: undefined };
}

/** Something was changed, or may have been: what was asked for before is in doubt, and may be asked for at once. */
export function changed(page: Freshness): Freshness {
  const clock = page.clock + 1;
  return { ...page, clock, changed: clock, retryAt: 0 };
}
