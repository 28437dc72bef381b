import type { BrowserContextOptions } from "playwright-core";
import { journey, type Visitor } from "../kit/index.ts";

/**
 * Journeys through the application of `tests/fixtures/walk`, by visitors who wait until a page is alive before they
 * touch it.
 */
export const walk = journey({ app: "tests/fixtures/walk" }).extend("arrive", async ({ visit }) => {
  return async (path: string, options?: BrowserContextOptions): Promise<Visitor> => {
    const visitor = await visit(path, options);
    await visitor.isAlive();
    return visitor;
  };
});

/** Why the last full load took place, as the tab remembers it. */
export function lastFullLoad(visitor: Visitor): Promise<string | undefined> {
  return visitor.page.evaluate(() => {
    const ledger: { reason: string }[] = JSON.parse(sessionStorage.getItem("holdfast-full-loads") ?? "[]");
    return ledger.at(-1)?.reason;
  });
}
