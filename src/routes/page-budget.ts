/**
 * What a page may cost its visitors, declared in its server half: `export const budget = { lcpMs: 2_500 } satisfies
 * PageBudget`. A build whose bytes are over it fails; what is measured at visitors' is held against it in the console.
 * Times are those that three quarters of the visits stay below.
 */
export interface PageBudget {
  /**
   * All that a first load fetches beside the document, also once the page is alive, as gzip: the `first load` of the
   * build's table.
   */
  firstLoadBytes?: number;
  /** From the request of the document until it is loaded. */
  loadMs?: number;
  /** From the click until the page is shown, without leaving the document. */
  navigationMs?: number;
  /** What the server needs to answer. */
  serverMs?: number;
  /** Largest Contentful Paint. */
  lcpMs?: number;
  /** Interaction to Next Paint. */
  inpMs?: number;
  /** Cumulative Layout Shift, a share. */
  cls?: number;
}

export const budgetNames: readonly (keyof PageBudget)[] = [
  "firstLoadBytes",
  "loadMs",
  "navigationMs",
  "serverMs",
  "lcpMs",
  "inpMs",
  "cls",
];
