import type { Clock } from "../clock.ts";
import { kindOfError, type Spike, type SpikeLimits, type SpikeRules, spikeLimits } from "../intake/spike-rules.ts";

interface ProjectRate {
  minute: number;
  /** Errors in this minute so far. */
  count: number;
  /** Errors in a usual minute, learnt from so many of them. */
  usual: number;
  learnt: number;
  /** Kinds of errors of which this minute has kept one. */
  readonly kinds: Set<string>;
  spike: Spike | undefined;
}

export interface SpikeListener {
  /** A spike has begun, goes on for another minute, or is over. */
  began(project: number, spike: Spike): void;
  continued(project: number, spike: Spike): void;
  ended(project: number, spike: Spike): void;
}

const minuteMs = 60_000;

/** After this many calm minutes, a spike is over. One that comes and goes is one spike. */
const calmMinutes = 5;

/**
 * Notices when far more errors arrive than usual, and then keeps one of every kind in each minute and a sample of the
 * others. In memory, a counter for each project: it costs nearly nothing while there is no spike.
 */
export class Spikes {
  readonly #clock: Clock;
  readonly #listener: SpikeListener;
  readonly #limits: SpikeLimits;
  readonly #rates = new Map<number, ProjectRate>();

  constructor(clock: Clock, listener: SpikeListener, limits: SpikeLimits = spikeLimits) {
    this.#clock = clock;
    this.#listener = listener;
    this.#limits = limits;
  }

  /** The spikes of now, by project. */
  get current(): ReadonlyMap<number, Spike> {
    return new Map([...this.#rates].flatMap(([project, { spike }]) => (spike === undefined ? [] : [[project, spike]])));
  }

  /** Counts an error, and decides whether it is kept. `payload` is read only in a spike. */
  keeps(project: number, rules: SpikeRules, payload: () => unknown): boolean {
    const rate = this.#rateOf(project);
    const allowed = Math.max(rules.least, rules.times * rate.usual);
    this.#enterMinute(project, rate, allowed);
    rate.count += 1;
    if (rate.learnt < this.#limits.learnMinutes || rate.count <= allowed) return true;
    const isKept = this.#isKeptInSpike(rate, payload);
    this.#note(project, rate, isKept);
    return isKept;
  }

  #isKeptInSpike(rate: ProjectRate, payload: () => unknown): boolean {
    const { kinds, keepOneOf } = this.#limits;
    if (rate.kinds.size < kinds) {
      const kind = kindOfError(payload());
      if (!rate.kinds.has(kind)) {
        rate.kinds.add(kind);
        return true;
      }
    }
    return rate.count % keepOneOf === 0;
  }

  #note(project: number, rate: ProjectRate, isKept: boolean): void {
    const now = this.#clock.now();
    const before = rate.spike;
    rate.spike = {
      since: before?.since ?? now,
      lastAt: now,
      dropped: (before?.dropped ?? 0) + (isKept ? 0 : 1),
      perMinute: Math.max(before?.perMinute ?? 0, rate.count),
      usual: before?.usual ?? Math.round(rate.usual),
    };
    if (before === undefined) this.#listener.began(project, rate.spike);
  }

  /** A minute that has ended changes what is usual, a spike no more than it may. */
  #enterMinute(project: number, rate: ProjectRate, allowed: number): void {
    const minute = Math.floor(this.#clock.elapsed() / minuteMs);
    if (minute === rate.minute) return;
    const passed = minute - rate.minute;
    const counts = [Math.min(rate.count, allowed), ...Array.from({ length: Math.min(passed, 1_440) - 1 }, () => 0)];
    for (const count of counts) {
      rate.learnt += 1;
      rate.usual += (count - rate.usual) / Math.min(rate.learnt, this.#limits.usualMinutes);
    }
    rate.minute = minute;
    rate.count = 0;
    rate.kinds.clear();
    const { spike } = rate;
    if (spike === undefined) return;
    if (this.#clock.now() - spike.lastAt < calmMinutes * minuteMs) return this.#listener.continued(project, spike);
    rate.spike = undefined;
    this.#listener.ended(project, spike);
  }

  #rateOf(project: number): ProjectRate {
    const known = this.#rates.get(project);
    if (known !== undefined) return known;
    const minute = Math.floor(this.#clock.elapsed() / minuteMs);
    const fresh = { minute, count: 0, usual: 0, learnt: 0, kinds: new Set<string>(), spike: undefined };
    this.#rates.set(project, fresh);
    return fresh;
  }
}
