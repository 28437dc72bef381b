import type { BrowserContextOptions } from "playwright-core";
import { journey, type Visitor } from "../kit/index.ts";

/** Journeys through `tests/fixtures/walk`, by visitors who wait for hydration before they touch a page. */
export const walk = journey({ app: "tests/fixtures/walk" }).extend("arrive", async ({ visit }) => {
  return async (path: string, options?: BrowserContextOptions): Promise<Visitor> => {
    const visitor = await visit(path, options);
    await visitor.isAlive();
    return visitor;
  };
});

/** Reason of the last full load, as the tab remembers it. */
export function lastFullLoad(visitor: Visitor): Promise<string | undefined> {
  return visitor.page.evaluate(() => {
    const ledger: { reason: string }[] = JSON.parse(sessionStorage.getItem("holdfast-full-loads") ?? "[]");
    return ledger.at(-1)?.reason;
  });
}
