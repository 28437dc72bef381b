import type { Category } from "#protocol";
import { type DeliveryResult, RateLimits, readDeliveryResponse } from "../delivery.ts";
import type { ReportingLimits } from "../limits.ts";
import type { LossCounter } from "../loss-counter.ts";

interface Letter {
  text: string;
  category: Category;
}

export interface PostOptions {
  /** Of the own host. */
  url: string;
  limits: ReportingLimits;
  losses: LossCounter;
  now: () => number;
  /** The browser's own, not the one that is watched. */
  fetch: typeof fetch;
}

/** Browsers refuse keepalive requests and beacons once 64 KiB are under way; stay a little below. */
const keepaliveBytes = 60_000;
/** What a page may hold back while it is offline. Beyond it, traces go first. */
const heldBytes = 1_000_000;
/** What outlives the page. Storage is shared with the application and small. */
const storedBytes = 200_000;
const storageKey = "holdfast-reports";

/** Brings envelopes to the own host: at once, after an outage, or with the page's last breath. */
export class Post {
  readonly #options: PostOptions;
  readonly #rateLimits = new RateLimits();
  #queue: Letter[] = [];
  #sending = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PostOptions) {
    this.#options = options;
    this.#queue = takeStored();
    addEventListener("online", () => void this.#empty());
    if (this.#queue.length > 0) void this.#empty();
  }

  send(envelope: Uint8Array, category: Category): void {
    this.#queue.push({ text: new TextDecoder().decode(envelope), category });
    this.#bound();
    void this.#empty();
  }

  /**
   * The page may be gone in a moment: hands everything to the browser, and what that does not take to the next page.
   * While nothing arrives, errors go both ways: the result of the browser's last try is unknown, and the service
   * recognises them by their id.
   */
  leave(): void {
    const isAway = this.#failures > 0;
    const mustArrive = ({ category }: Letter): boolean => isAway && category === "error";
    // The browser finishes what is under way, also without the page.
    const underWay = this.#sending ? this.#queue.slice(0, 1) : [];
    const left = underWay.filter(mustArrive);
    let bytes = 0;
    for (const queued of this.#queue.slice(underWay.length)) {
      bytes += queued.text.length;
      const taken =
        bytes < keepaliveBytes &&
        navigator.onLine !== false &&
        handToBrowser(this.#options.url, stamped(queued.text, this.#options.now()));
      if (!taken || mustArrive(queued)) left.push(queued);
    }
    this.#queue = underWay;
    store(left);
  }

  async #empty(): Promise<void> {
    if (this.#sending || this.#timer !== undefined) return;
    this.#sending = true;
    for (let queued = this.#queue[0]; queued; queued = this.#queue[0]) {
      const wait = await this.#bring(queued);
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

  /** 0 when the letter is gone, else how long to wait. */
  async #bring({ text, category }: Letter): Promise<number> {
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
        // Who the visitor is has no business here.
        credentials: "omit",
        signal: AbortSignal.timeout(limits.deliveryMs),
      });
      return readDeliveryResponse(answer.status, (name) => answer.headers.get(name), now());
    } catch (error) {
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

/** Blockers take the function away, or put one in its place that throws. */
function handToBrowser(url: string, text: string): boolean {
  try {
    return navigator.sendBeacon(url, text);
  } catch {
    // The next page tries again.
    return false;
  }
}

/** With the time of sending by this page's clock, by which the service finds out how wrong that is. */
function stamped(text: string, nowMs: number): string {
  const end = text.indexOf("\n");
  const header: object = JSON.parse(text.slice(0, end));
  return JSON.stringify({ ...header, sent_at: new Date(nowMs).toISOString() }) + text.slice(end);
}

/** Errors first: of what does not fit, traces are the smaller loss. */
function store(queuedEnvelopes: readonly Letter[]): void {
  const kept: Letter[] = [];
  let bytes = 0;
  for (const queued of [...queuedEnvelopes].sort(
    (a, b) => Number(b.category === "error") - Number(a.category === "error"),
  )) {
    bytes += queued.text.length;
    if (bytes <= storedBytes) kept.push(queued);
  }
  if (kept.length === 0) return;
  try {
    localStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // Storage is full or forbidden; there is nowhere else to put them.
  }
}

function takeStored(): Letter[] {
  try {
    const text = localStorage.getItem(storageKey);
    if (text === null) return [];
    localStorage.removeItem(storageKey);
    const stored: unknown = JSON.parse(text);
    return Array.isArray(stored) ? stored.filter(isLetter) : [];
  } catch {
    // Storage is forbidden, or holds something else.
    return [];
  }
}

function isLetter(value: unknown): value is Letter {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    typeof value.text === "string" &&
    "category" in value
  );
}
