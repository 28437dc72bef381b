/**
 * Limits of a page, declared in its server file: `export const budget = { lcpMs: 2_500 } satisfies PageBudget`. A build
 * that exceeds the bytes fails; the console compares visitors' measurements with the times. Three quarters of the
 * visits must stay below a time.
 */
export interface PageBudget {
  /**
   * Gzip size of everything that a first load fetches beside the document, including files loaded after hydration: the
   * `first load` of the build's table.
   */
  firstLoadBytes?: number;
  /** From the request of the document until it is loaded. */
  loadMs?: number;
  /** From the click until the page is shown, within the document. */
  navigationMs?: number;
  /** Response time of the server. */
  serverMs?: number;
  /** Largest Contentful Paint. */
  lcpMs?: number;
  /** Interaction to Next Paint. */
  inpMs?: number;
  /** Cumulative Layout Shift, a score without unit. */
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
