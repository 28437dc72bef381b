import { setTimeout as wait } from "node:timers/promises";
import { span } from "holdfast/report";
import { load } from "holdfast/server";
import { allOrders } from "../../server/orders.ts";

const carried = ["sentry-trace", "baggage", "traceparent"];

export const data = load("/try/trace", async ({ url, headers, signal }) => {
  const orders = await span("count the orders", async () => {
    await wait(40, undefined, { signal });
    return allOrders().length;
  });
  const brought = carried.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { orders, headers: brought, next: url.searchParams.get("again") === "1" ? 2 : 1 };
});
