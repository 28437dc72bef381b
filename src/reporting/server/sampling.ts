import { readBaggage, type TraceParent } from "#protocol";
import type { RequestFacts } from "#signals";
import { defaultSampleRate, type ReportSettings, sampleRateOf } from "../settings.ts";

export interface Sampled {
  sampled: boolean;
  /** Sample rate at that time. Counts from traces are divided by it. */
  rate: number;
}

/** Decides whether a request is traced. */
export type Sampling = (parent: TraceParent | undefined, facts: RequestFacts, path: string, nowMs: number) => Sampled;

/**
 * Decides once for a whole trace. A caller's decision counts only if it is a page of this application: otherwise any
 * client could have everything traced. Without a configured rate, the default applies, limited to a useful number of
 * traces per second: a rush of visitors or robots must not cost more because it is measured.
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

/** A rate that falls as requests grow, so that each second has about the same number of traces. */
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
   * Returns the rate for the current request. The count of this second applies once it exceeds that of the previous
   * one.
   */
  rateAt(nowMs: number): number {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#countBefore = second === this.#second + 1 ? this.#count : 0;
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
    return Math.min(this.#usual, this.#perSecond / inSteps(Math.max(this.#count, this.#countBefore)));
  }
}

/** Rounded up to five binary digits, so that many requests share a rate: writing a new one takes as long as its id. */
function inSteps(count: number): number {
  const step = 1 << Math.max(0, 27 - Math.clz32(count));
  return Math.ceil(count / step) * step;
}
