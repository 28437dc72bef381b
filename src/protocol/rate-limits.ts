import type { Category } from "./envelope/item-types.ts";

/** How long a client must not send the given categories. No categories: all. */
export interface RateLimit {
  readonly seconds: number;
  readonly categories: readonly Category[];
  /** What the limit counts for: one key, or the project with all its keys. */
  readonly scope?: "key" | "project";
  /** For people. Most receivers omit it. */
  readonly reason?: string;
}

/** Reads `X-Sentry-Rate-Limits`: `60:error;transaction:organization, 2700::key`. Skips unreadable parts. */
export function readRateLimits(header: string | null | undefined): RateLimit[] {
  const limits: RateLimit[] = [];
  for (const one of (header ?? "").split(",")) {
    const [seconds = "", categories = ""] = one.trim().split(":");
    const time = Number(seconds);
    if (seconds === "" || !Number.isFinite(time) || time <= 0) continue;
    // An unknown category limits nothing that this client sends.
    const named = categories.split(";").filter((category) => category !== "") as Category[];
    limits.push({ seconds: time, categories: named });
  }
  return limits;
}

/** Writes `seconds:category;category:scope:reason`, joined by commas. */
export function writeRateLimits(limits: readonly RateLimit[]): string {
  return limits
    .map(({ seconds, categories, scope = "project", reason }) =>
      [seconds, categories.join(";"), scope, ...(reason ? [reason] : [])].join(":"),
    )
    .join(", ");
}
