/** How the page of a history entry was shown, so that Back and Forward show it in the same way. */
export interface EntryManner {
  /** The page was a dialog over the page at this place. */
  dialog?: number | undefined;
  /** The step to this entry was a view transition. */
  transition?: boolean | undefined;
}

/** Of the browser's current entry, into whose state the application may have written anything. */
export function mannerNow(): EntryManner {
  const { dialog, transition }: Partial<Record<string, unknown>> = Object(history.state);
  return { dialog: typeof dialog === "number" ? dialog : undefined, transition: transition === true };
}
