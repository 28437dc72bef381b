import { type Category, type RateLimit, readRateLimits } from "#protocol";

/** How one try to deliver an envelope ended. */
export type DeliveryResult =
  | { kind: "taken"; limits?: readonly RateLimit[] }
  /** It would be refused every time: malformed, too large. */
  | { kind: "refused"; why: string }
  /** Down, overloaded, or the key is not known (yet). */
  | { kind: "later"; why: string; afterMs?: number; limits?: readonly RateLimit[] };

/** Brings one envelope to the service. Never rejects. */
export type Deliver = (envelope: Uint8Array) => Promise<DeliveryResult>;

/** Seconds or a date, in milliseconds from now. */
export function readRetryAfter(header: string | null | undefined, nowMs: number): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** What an HTTP answer means for the envelope. Alike for the server's deliveries and the browser's. */
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

/** A 429 that says no time means a minute, by the protocol. */
const plainLimitMs = 60_000;

/** Until when which kinds have to wait. */
export class RateLimits {
  readonly #until = new Map<string, number>();

  add(limits: readonly RateLimit[] | undefined, nowMs: number): void {
    for (const { categories, seconds } of limits ?? []) {
      for (const category of categories.length > 0 ? categories : [all])
        this.#until.set(category, nowMs + seconds * 1_000);
    }
  }

  /** How long this kind has to wait from now; 0 when it need not. */
  waitFor(category: Category, nowMs: number): number {
    return Math.max(0, (this.#until.get(category) ?? 0) - nowMs, (this.#until.get(all) ?? 0) - nowMs);
  }
}

const all = "all";
