import type { Category } from "#protocol";
import type { ClientLimits } from "../client-limits.ts";
import { type DeliveryResult, RateLimits, readDeliveryResponse } from "../delivery.ts";
import { reportsKey, storedReportsBytes } from "../early-errors.ts";
import type { LossCounter } from "../loss-counter.ts";
import { cleanItems } from "./clean-items.ts";

interface QueuedReport {
  text: string;
  category: Category;
  /** Called when the server has it. Of a report that outlives its page, nothing is known. */
  arrived?: (() => void) | undefined;
}

export interface PostOptions {
  /** Address on the application's own host. For a folder of files, that of the service. */
  url: string;
  limits: ClientLimits;
  losses: LossCounter;
  now: () => number;
  /** The browser's original function, not the instrumented one. */
  fetch: typeof fetch;
}

/** Browsers refuse keepalive requests and beacons beyond 64 KiB in flight; this stays a little below. */
const keepaliveBytes = 60_000;
/** Limit of queued reports while offline. Beyond it, traces are dropped first. */
const heldBytes = 1_000_000;

/** Sends envelopes to this address: at once, after an outage, or when the page is left. */
export class Post {
  readonly #options: PostOptions;
  readonly #rateLimits = new RateLimits();
  #queue: QueuedReport[] = [];
  #sending = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PostOptions) {
    this.#options = options;
    this.#queue = takeStored();
    addEventListener("online", () => void this.#empty());
    if (this.#queue.length > 0) void this.#empty();
  }

  send(envelope: Uint8Array, category: Category, arrived?: () => void): void {
    this.#queue.push({ text: new TextDecoder().decode(envelope), category, arrived });
    this.#bound();
    void this.#empty();
  }

  /**
   * Called when the page may end: passes all envelopes to the browser, and stores the rest for the next page. Errors
   * take both ways: the page does not learn whether the browser's last attempt succeeds, and the service deduplicates
   * them by id.
   */
  leave(): void {
    // The browser completes a pending request even without the page.
    const underWay = this.#sending ? this.#queue.slice(0, 1) : [];
    let bytes = 0;
    const isTaken = ({ text }: QueuedReport): boolean => {
      bytes += text.length;
      return (
        bytes < keepaliveBytes &&
        navigator.onLine !== false &&
        handToBrowser(this.#options.url, stamped(text, this.#options.now()))
      );
    };
    const left = this.#queue.filter((queued) => {
      const taken = underWay.includes(queued) || isTaken(queued);
      return !taken || queued.category === "error";
    });
    this.#queue = underWay;
    if (left.length > 0) store([...takeStored(), ...left]);
  }

  async #empty(): Promise<void> {
    if (this.#sending || this.#timer !== undefined) return;
    this.#sending = true;
    for (let queued = this.#queue[0]; queued; queued = this.#queue[0]) {
      const wait = await this.#deliver(queued);
      if (wait > 0) {
        const usual = this.#options.limits.retryMs[this.#failures] ?? 30_000;
        this.#failures++;
        this.#timer = setTimeout(
          () => {
            this.#timer = undefined;
            void this.#empty();
          },
          Math.max(wait, usual),
        );
        break;
      }
      this.#failures = 0;
      this.#queue = this.#queue.filter((one) => one !== queued);
    }
    this.#sending = false;
  }

  /** Sends one envelope. Returns 0 if it is done, else the time to wait. */
  async #deliver({ text, category, arrived }: QueuedReport): Promise<number> {
    const { losses, now } = this.#options;
    const limited = this.#rateLimits.waitFor(category, now());
    if (limited > 0 && category === "error") return limited;
    if (limited > 0) {
      losses.add("ratelimit_backoff", category);
      return 0;
    }
    const outcome = await this.#try(text);
    if (outcome.kind !== "refused") this.#rateLimits.add(outcome.limits, now());
    if (outcome.kind === "later") return Math.max(1, outcome.afterMs ?? 0);
    if (outcome.kind === "refused") losses.add("send_error", category);
    else arrived?.();
    return 0;
  }

  async #try(text: string): Promise<DeliveryResult> {
    const { url, fetch, now, limits } = this.#options;
    try {
      const body = stamped(text, now());
      const answer = await fetch(url, {
        method: "POST",
        body,
        keepalive: body.length < keepaliveBytes,
        // Reports do not identify the visitor, so they carry no cookies.
        credentials: "omit",
        signal: AbortSignal.timeout(limits.deliveryMs),
      });
      // Unread, the request would count as open until the signal aborts it.
      answer.text().catch(() => undefined);
      return readDeliveryResponse(answer.status, (name) => answer.headers.get(name), now());
    } catch (error) {
      // A page that is left learns of a failure although the browser completes the request. Until the next task this
      // one counts as under way, so that `leave` does not send it again.
      await new Promise((resolve) => setTimeout(resolve));
      return { kind: "later", why: String(error) };
    }
  }

  #bound(): void {
    let bytes = this.#queue.reduce((sum, { text }) => sum + text.length, 0);
    while (bytes > heldBytes) {
      const oldestTrace = this.#queue.findIndex(({ category }) => category !== "error");
      const [dropped] = this.#queue.splice(Math.max(0, oldestTrace), 1);
      if (!dropped) return;
      bytes -= dropped.text.length;
      this.#options.losses.add("queue_overflow", dropped.category);
    }
  }
}

/** Ad blockers remove the function or replace it with one that throws. */
function handToBrowser(url: string, text: string): boolean {
  try {
    return navigator.sendBeacon(url, text);
  } catch {
    // The next page tries again.
    return false;
  }
}

/**
 * Adds the time of sending by this page's clock, from which the service computes the error of that clock. What was
 * stored by the first script of a document has its secrets until then.
 */
function stamped(text: string, nowMs: number): string {
  const end = text.indexOf("\n");
  const header: object = JSON.parse(text.slice(0, end));
  const items = text.slice(end);
  const stamp = JSON.stringify({ ...header, sent_at: new Date(nowMs).toISOString() });
  return stamp + (cleanItems === null ? items : cleanItems(items));
}

/**
 * Stores errors first: if there is not enough room, losing traces matters less. The caller includes what another tab
 * has stored.
 */
function store(queuedEnvelopes: readonly QueuedReport[]): void {
  const stored: QueuedReport[] = [];
  let bytes = 0;
  for (const queued of [...queuedEnvelopes].sort(
    (a, b) => Number(b.category === "error") - Number(a.category === "error"),
  )) {
    bytes += queued.text.length;
    if (bytes <= storedReportsBytes) stored.push(queued);
  }
  try {
    localStorage.setItem(reportsKey, JSON.stringify(stored));
  } catch {
    // Storage is full or forbidden; there is no other place to store them.
  }
}

function takeStored(): QueuedReport[] {
  try {
    const text = localStorage.getItem(reportsKey);
    if (text === null) return [];
    localStorage.removeItem(reportsKey);
    const stored: unknown = JSON.parse(text);
    return Array.isArray(stored) ? stored.filter(isQueuedReport) : [];
  } catch {
    // Storage is forbidden, or holds something else.
    return [];
  }
}

function isQueuedReport(value: unknown): value is QueuedReport {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    typeof value.text === "string" &&
    "category" in value
  );
}
