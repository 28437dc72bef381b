import { randomUUID } from "node:crypto";
import { load } from "holdfast/server";

/** Attempts that have failed once. The oldest are forgotten. */
const failed = new Set<string>();
const most = 1_000;

export const data = load("/try/balance", ({ url }) => {
  const attempt = url.searchParams.get("attempt")?.slice(0, 40);
  if (attempt !== undefined && !failed.has(attempt)) {
    failed.add(attempt);
    for (const oldest of failed) if (failed.size > most) failed.delete(oldest);
    throw new Error("The till was closed for a moment.");
  }
  return { isThrough: attempt !== undefined, next: randomUUID() };
});
