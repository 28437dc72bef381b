import { readBaggage, type TraceParent } from "#protocol";
import type { RequestFacts } from "#signals";
import { defaultSampleRate, type ReportSettings, sampleRateOf } from "../settings.ts";

export interface Sampled {
  sampled: boolean;
  /** The share that was traced at that moment. Counts that come from traces are divided by it. */
  rate: number;
}

/** Decides whether a request is traced. */
export type Sampling = (parent: TraceParent | undefined, facts: RequestFacts, path: string, nowMs: number) => Sampled;

/**
 * Decided once for a whole trace. The decision of a caller counts only when it is a page of our own: anyone else could
 * make us trace everything. An application that says nothing about its rate gets the usual one, but no more traces in a
 * second than are of use: a rush of visitors, or of robots, must not cost more because it is measured.
 */
export function createSampling(settings: ReportSettings, tracesPerSecond: number): Sampling {
  const pace = new Pace(defaultSampleRate, tracesPerSecond);
  return (parent, facts, path, nowMs) => {
    if (parent?.sampled !== undefined && facts.header("sec-fetch-site") === "same-origin") {
      const context = Number(readBaggage(facts.header("baggage") ?? "").sample_rate);
      return { sampled: parent.sampled, rate: context > 0 && context <= 1 ? context : 1 };
    }
    const rate =
      settings.sampleRate === undefined ? pace.rateAt(nowMs) : sampleRateOf(settings, { kind: facts.method, path });
    return { sampled: rate >= 1 || Math.random() < rate, rate };
  };
}

/** A rate that falls as requests grow, so that about as many are chosen in each second as there is room for. */
class Pace {
  readonly #usual: number;
  readonly #perSecond: number;
  #second = 0;
  #count = 0;
  #countBefore = 0;

  constructor(usual: number, perSecond: number) {
    this.#usual = usual;
    this.#perSecond = perSecond;
  }

  /**
   * Of the request that comes now. What this second has brought counts as soon as it is more than the second before.
   */
  rateAt(nowMs: number): number {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#countBefore = second === this.#second + 1 ? this.#count : 0;
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
    return Math.min(this.#usual, this.#perSecond / Math.max(this.#count, this.#countBefore));
  }
}
