import { load, type PageBudget } from "holdfast/server";
import { findOrder } from "../server/orders.ts";
import { sourcesOf } from "../server/sources.ts";
import { thrownBy } from "../server/thrown-line.ts";

export const data = load("/", () => ({
  thrown: thrownBy("/try/break/load"),
  example: sourcesOf("/try/orders/[id]"),
  order: findOrder("7"),
}));

/** The start page: it should load fast on a slow connection. */
export const budget = { firstLoadBytes: 138_400, lcpMs: 2_500, inpMs: 200, cls: 0.1 } satisfies PageBudget;
