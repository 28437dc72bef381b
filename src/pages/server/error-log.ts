import type { ErrorPlace, Receipt, ServerSignals } from "#signals";

/**
 * The errors of one request. The same error may come by several times (from a load, from React, from a late promise); it is recorded once and
 * keeps its digest. An answer that shows a digest waits until it is durable.
 */
export class ErrorLog {
  readonly #signals: ServerSignals;
  readonly #place: () => Omit<ErrorPlace, "during" | "side">;
  readonly #seen = new Map<unknown, string | undefined>();
  #durable: Promise<unknown> | undefined;

  constructor(signals: ServerSignals, place: () => Omit<ErrorPlace, "during" | "side">) {
    this.#signals = signals;
    this.#place = place;
  }

  record(
    error: unknown,
    during: ErrorPlace["during"],
    more?: Pick<ErrorPlace, "componentStack" | "visitorSaw">,
  ): string | undefined {
    if (this.#seen.has(error)) return this.#seen.get(error);
    const receipt = this.#tell(error, { ...this.#place(), ...more, side: "server", during });
    const digest = receipt.kind === "recorded" ? receipt.digest : undefined;
    this.#seen.set(error, digest);
    if (receipt.kind === "recorded")
      this.#durable = this.#durable ? Promise.all([this.#durable, receipt.durable]) : receipt.durable;
    return digest;
  }

  /** Resolves when everything recorded so far would survive a crash; `undefined` when there is nothing to wait for. */
  get durable(): Promise<unknown> | undefined {
    return this.#durable;
  }

  #tell(error: unknown, place: ErrorPlace): Receipt {
    try {
      return this.#signals.errorCaught(error, place);
    } catch {
      // Whoever listens has broken its promise not to throw. The visitor's page goes on without a digest.
      return { kind: "unrecorded" };
    }
  }
}
