import { type Category, type RateLimit, readRateLimits } from "#protocol";

/** Result of one attempt to deliver an envelope. */
export type DeliveryResult =
  | { kind: "taken"; limits?: readonly RateLimit[] }
  /** Every attempt would be refused: malformed or too large. */
  | { kind: "refused"; why: string }
  /** The service is down or overloaded, or the key is not known (yet). */
  | { kind: "later"; why: string; afterMs?: number; limits?: readonly RateLimit[] };

/** Delivers one envelope to the service. Never rejects. */
export type Deliver = (envelope: Uint8Array) => Promise<DeliveryResult>;

/** Reads `Retry-After`, seconds or a date, as milliseconds from now. */
export function readRetryAfter(header: string | null | undefined, nowMs: number): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Maps an HTTP response to a delivery result, for deliveries of the server and of the browser. */
export function readDeliveryResponse(
  status: number,
  header: (name: string) => string | null | undefined,
  nowMs: number,
): DeliveryResult {
  const limits = readRateLimits(header("x-sentry-rate-limits"));
  const context = limits.length > 0 ? { limits } : {};
  if (status >= 200 && status < 300) return { kind: "taken", ...context };
  if (status === 400 || status === 413 || status === 415 || status === 422)
    return { kind: "refused", why: `answered ${status}` };
  const afterMs = readRetryAfter(header("retry-after"), nowMs);
  const wait = afterMs ?? (status === 429 && limits.length === 0 ? plainLimitMs : undefined);
  return { kind: "later", why: `answered ${status}`, ...context, ...(wait !== undefined && { afterMs: wait }) };
}

/** By the protocol, a 429 without a time means a minute. */
const plainLimitMs = 60_000;

/** Rate limits in force, by category. */
export class RateLimits {
  readonly #until = new Map<string, number>();

  add(limits: readonly RateLimit[] | undefined, nowMs: number): void {
    for (const { categories, seconds } of limits ?? []) {
      for (const category of categories.length > 0 ? categories : [all])
        this.#until.set(category, nowMs + seconds * 1_000);
    }
  }

  /** Returns how long this category has to wait; 0 if it need not. */
  waitFor(category: Category, nowMs: number): number {
    return Math.max(0, (this.#until.get(category) ?? 0) - nowMs, (this.#until.get(all) ?? 0) - nowMs);
  }
}

const all = "all";
