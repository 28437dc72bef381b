import { setTimeout as wait } from "node:timers/promises";
import { load } from "holdfast/server";

export const data = load("/try/slow", async ({ url, signal }) => {
  const asked = Number(url.searchParams.get("ms") ?? 0);
  const ms = Number.isFinite(asked) ? Math.min(Math.max(asked, 0), 60_000) : 0;
  await wait(ms, undefined, { signal });
  return { ms, at: new Date() };
});
