import type { Clock } from "../clock.ts";
import type { FilterChange, IntakeChanges } from "../intake/figures.ts";
import type { Spike } from "../intake/spike-rules.ts";

/** A line that a person reads. */
const exampleChars = 300;

interface KeyChange {
  usedAt: number | undefined;
  refused: number;
}

/**
 * Counts by key what was accepted and refused, and by filter what was dropped, until it is written. Only keys and
 * filters of projects get here, so it is bounded.
 */
export class IntakeCounts {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #keys = new Map<string, KeyChange>();
  #filters = new Map<string, FilterChange>();
  #spikes = new Map<number, Spike>();

  /** `onChange` is called with the first change after each `take`. */
  constructor(clock: Clock, onChange: () => void = () => undefined) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  keyUsed(publicKey: string): void {
    this.#of(publicKey).usedAt = this.#clock.now();
  }

  keyRefused(publicKey: string): void {
    this.#of(publicKey).refused += 1;
  }

  /** The newest example replaces the others. */
  filtered(filter: string, example: string): void {
    this.#beforeChange();
    const dropped = (this.#filters.get(filter)?.dropped ?? 0) + 1;
    const text = example.slice(0, exampleChars);
    this.#filters.set(filter, { dropped, example: { at: this.#clock.now(), text } });
  }

  spike(project: number, spike: Spike): void {
    this.#beforeChange();
    this.#spikes.set(project, spike);
  }

  /** Returns the changes since the last call. */
  take(): IntakeChanges {
    const taken = { keys: this.#keys, filters: this.#filters, spikes: this.#spikes };
    this.#spikes = new Map();
    this.#keys = new Map();
    this.#filters = new Map();
    return taken;
  }

  #beforeChange(): void {
    if (this.#keys.size + this.#filters.size + this.#spikes.size === 0) this.#onChange();
  }

  #of(publicKey: string): KeyChange {
    const known = this.#keys.get(publicKey);
    if (known !== undefined) return known;
    this.#beforeChange();
    const fresh: KeyChange = { usedAt: undefined, refused: 0 };
    this.#keys.set(publicKey, fresh);
    return fresh;
  }
}
