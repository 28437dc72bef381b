import { messageOf } from "#errors";
import type { Deliver, DeliveryResult } from "../../delivery.ts";
import { RateLimits } from "../../delivery.ts";
import type { ReportingLimits } from "../../limits.ts";
import type { LossCounter } from "../../loss-counter.ts";
import type { Lane, Outbox } from "./outbox.ts";
import type { QueuedEnvelope } from "./queued-envelopes.ts";
import { addWaitToSentAt } from "./sent-at.ts";

export interface DeliveriesOptions {
  outbox: Outbox;
  deliver: Deliver;
  limits: ReportingLimits;
  losses: LossCounter;
  now: () => number;
  /** Called when deliveries start to fail, and when they work again. */
  changed: (state: "failing" | "working", why: string) => void;
}

/** Empties the outbox: in order, several at once, with growing pauses while the service is down. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #rateLimits = new RateLimits();
  readonly #running = new Map<Lane, Promise<void>>();
  readonly #pauses = new Map<Lane, () => void>();
  #endGathering: (() => void) | undefined;
  #isStopping = false;
  #stopped = false;
  #failing = false;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    options.outbox.onQueued = (lane) => this.#wake(lane);
    this.#wake("errors");
    this.#wake("rest");
  }

  /** Waits briefly for pending deliveries; the rest stays on disk for the next start. */
  async stop(withinMs: number): Promise<void> {
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
    this.#isStopping = true;
    this.#endGathering?.();
    await Promise.race([Promise.all(this.#running.values()), deadline]);
    this.#stopped = true;
    for (const endPause of this.#pauses.values()) endPause();
    await Promise.race([Promise.all(this.#running.values()), deadline]);
  }

  /** Resolves when the current errors are delivered or dropped. */
  async errorsDelivered(): Promise<void> {
    await this.#running.get("errors");
  }

  #wake(lane: Lane): void {
    if (this.#stopped || this.#running.has(lane)) return;
    this.#running.set(lane, this.#empty(lane));
  }

  /** Ends when the lane is empty. */
  async #empty(lane: Lane): Promise<void> {
    const { outbox, limits, now } = this.#options;
    // The caller is in the middle of a request; a delivery must not delay its response.
    await new Promise((resolve) => setImmediate(resolve));
    let service: keyof ReportingLimits["deliveriesAtOnce"] = "quick";
    let failures = 0;
    let hasMore = false;
    while (!this.#stopped) {
      if (lane === "rest" && !hasMore) await this.#gather();
      const atOnce = limits.deliveriesAtOnce[service];
      const queuedEnvelopes = outbox.take(lane, atOnce);
      if (queuedEnvelopes.length === 0) break;
      hasMore = queuedEnvelopes.length === atOnce;
      const begunMs = now();
      const waits = await Promise.all(queuedEnvelopes.map((queued) => this.#deliver(lane, queued)));
      const wait = Math.max(...waits);
      if (wait === 0) {
        failures = 0;
        service = now() - begunMs > limits.slowMs ? "slow" : "quick";
        continue;
      }
      service = "away";
      const usual = limits.retryMs[Math.min(failures, limits.retryMs.length - 1)] ?? 0;
      failures++;
      await this.#pause(lane, Math.max(wait, usual));
    }
    // In the same tick as the check that found nothing: a later envelope wakes the lane again.
    this.#running.delete(lane);
  }

  /** Returns how long to wait before the next delivery; 0 if the envelope is done. */
  async #deliver(lane: Lane, queued: QueuedEnvelope): Promise<number> {
    const { outbox, losses, now } = this.#options;
    const limited = this.#rateLimits.waitFor(queued.category, now());
    if (limited > 0 && lane === "rest") {
      losses.add("ratelimit_backoff", queued.category);
      outbox.remove(lane, queued);
      return 0;
    }
    if (limited > 0) {
      outbox.requeue(lane, queued);
      return limited;
    }
    const outcome = await this.#try(lane, queued);
    if (outcome.kind !== "refused") this.#rateLimits.add(outcome.limits, now());
    if (outcome.kind === "later") {
      this.#note("failing", outcome.why);
      outbox.requeue(lane, queued);
      return Math.max(1, outcome.afterMs ?? 0);
    }
    if (outcome.kind === "refused") losses.add("send_error", queued.category);
    this.#note("working", outcome.kind);
    outbox.remove(lane, queued);
    return 0;
  }

  async #try(lane: Lane, queued: QueuedEnvelope): Promise<DeliveryResult> {
    const { outbox, deliver, now } = this.#options;
    try {
      const envelope = await outbox.read(lane, queued);
      if (!envelope) return { kind: "refused", why: "its file is damaged" };
      return await deliver(addWaitToSentAt(envelope, now() - queued.keptMs));
    } catch (error) {
      return { kind: "later", why: messageOf(error) };
    }
  }

  #note(state: "failing" | "working", why: string): void {
    if (this.#failing === (state === "failing")) return;
    this.#failing = state === "failing";
    this.#options.changed(state, why);
  }

  /** Nobody waits for a trace, and those that are delivered together share a write and its sync. */
  async #gather(): Promise<void> {
    if (this.#isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.limits.gatherMs).unref();
      this.#endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endGathering = undefined;
  }

  async #pause(lane: Lane, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms).unref();
    this.#pauses.set(lane, resolve);
    await promise;
    clearTimeout(timer);
    this.#pauses.delete(lane);
  }
}
