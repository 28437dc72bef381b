import { type Category, type EnvelopeItem, isItemType, itemKinds } from "#protocol";
import type { ReportingLimits } from "../../limits.ts";
import type { LossCounter } from "../../loss-counter.ts";
import { EnvelopeQueue } from "./envelope-queue.ts";
import type { QueuedEnvelope } from "./queued-envelopes.ts";

/** Errors are on disk before their digest is shown. All other envelopes are written only if they have to wait. */
export type Lane = "errors" | "rest";

export interface OutboxOptions {
  folder: string;
  limits: ReportingLimits;
  losses: LossCounter;
  now: () => number;
  diskFailed: (why: unknown) => void;
}

export type KeepResult = { kind: "kept"; durable: Promise<void> } | { kind: "full" };

/**
 * All envelopes that wait for delivery, in two queues on disk with a common limit. When it is full, traces make room
 * for errors.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #queues: Readonly<Record<Lane, EnvelopeQueue>>;
  /** Called when there is something to deliver. */
  onQueued: (lane: Lane) => void = () => undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    const { folder, limits, losses, diskFailed } = options;
    const lost = ({ category }: QueuedEnvelope): void => losses.add("cache_overflow", category);
    const open = (name: Lane, durable: boolean): EnvelopeQueue =>
      new EnvelopeQueue({ folder, name, durable, limits, diskFailed, lost });
    this.#queues = { errors: open("errors", true), rest: open("rest", false) };
  }

  keep(lane: Lane, category: Category, envelope: Uint8Array): KeepResult {
    if (!this.#makeRoom(envelope.length)) {
      this.#options.losses.add("cache_overflow", category);
      return { kind: "full" };
    }
    const durable = this.#queues[lane].keep(category, envelope, this.#options.now());
    this.onQueued(lane);
    return { kind: "kept", durable };
  }

  take(lane: Lane, atMost: number): QueuedEnvelope[] {
    this.#dropOld(lane);
    return this.#queues[lane].take(atMost);
  }

  read(lane: Lane, queued: QueuedEnvelope): Promise<Uint8Array | undefined> {
    return this.#queues[lane].read(queued);
  }

  requeue(lane: Lane, queued: QueuedEnvelope): void {
    this.#queues[lane].requeue(queued);
  }

  remove(lane: Lane, queued: QueuedEnvelope): void {
    this.#queues[lane].remove(queued);
  }

  get length(): number {
    return this.#queues.errors.length + this.#queues.rest.length;
  }

  /** When the oldest error report that waits was kept. */
  get errorsWaitSince(): number | undefined {
    return this.#queues.errors.waitingSince;
  }

  /** Synchronous, for the end of the process. */
  flushNow(): void {
    this.#queues.errors.flushNow();
    this.#queues.rest.flushNow();
  }

  async close(): Promise<void> {
    await Promise.all([this.#queues.errors.close(), this.#queues.rest.close()]);
  }

  #makeRoom(bytes: number): boolean {
    const { errors, rest } = this.#queues;
    const isFull = (): boolean => errors.bytes + rest.bytes + bytes > this.#options.limits.outboxBytes;
    for (let oldest = rest.oldest(); isFull() && oldest; oldest = rest.oldest()) {
      rest.remove(oldest);
      this.#options.losses.add("cache_overflow", oldest.category);
    }
    return !isFull();
  }

  #dropOld(lane: Lane): void {
    const queue = this.#queues[lane];
    const limit = this.#options.now() - this.#options.limits.outboxAgeMs;
    for (let oldest = queue.oldest(); oldest && oldest.keptMs < limit; oldest = queue.oldest()) {
      queue.remove(oldest);
      this.#options.losses.add("cache_overflow", oldest.category);
    }
  }
}

/** Returns lane and category of an envelope, from its items. */
export function laneOf(items: readonly EnvelopeItem[]): { lane: Lane; category: Category } {
  const found = items.map(({ header: { type } }) => (isItemType(type) ? itemKinds[type].category : "default"));
  if (found.includes("error")) return { lane: "errors", category: "error" };
  if (found.includes("feedback")) return { lane: "errors", category: "feedback" };
  return { lane: "rest", category: found[0] ?? "default" };
}
