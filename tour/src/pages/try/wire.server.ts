import { setTimeout as wait } from "node:timers/promises";
import { load } from "holdfast/server";

export const data = load("/try/wire", async ({ url, signal }) => {
  if (url.searchParams.has("slowly")) await wait(2_500, undefined, { signal });
  return {
    placed: new Date("2026-03-01T09:30:00Z"),
    items: new Map([["Relay", 600]]),
    cents: 88_000n,
    note: undefined,
    later: wait(url.searchParams.has("slowly") ? 1_000 : 0, "the last word", { signal }),
  };
});
