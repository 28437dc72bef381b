import { setTimeout as wait } from "node:timers/promises";
import { load } from "holdfast/server";

export const data = load("/try/shelf/[item]", async ({ params, headers, signal }) => {
  // Slow enough to see the slots.
  await wait(600, undefined, { signal });
  return { item: params.item, madeAt: new Date(), ahead: headers.get("purpose") === "prefetch" };
});
