import type { Clock } from "./clock.ts";
import { noProblems, type StoreHealth, type StoreProblem } from "./stores/store-health.ts";

/** Observes for operators whether the store can be written: for the log, the metrics and the readiness check. */
export class StoreWatch {
  readonly #clock: Clock;
  readonly #log: (sentence: string) => void;
  /** Of threads that have ended since. */
  #earlier: Readonly<Record<StoreProblem, number>> = noProblems;
  #health: StoreHealth = { kind: "well", problems: noProblems };
  #awaySince: number | undefined;

  constructor(clock: Clock, log: (sentence: string) => void) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The counts of a restarted thread begin at 0. */
  healthChanged(health: StoreHealth): void {
    const isRestarted = kinds(health.problems).some((kind) => health.problems[kind] < this.#health.problems[kind]);
    if (isRestarted) this.#earlier = sum(this.#earlier, this.#health.problems);
    this.#health = health;
  }

  storeIsAway(why: string): void {
    if (this.#awaySince !== undefined) return;
    this.#awaySince = this.#clock.elapsed();
    this.#log(`Reports wait in the journal. ${why}`);
  }

  storeIsBack(): void {
    if (this.#awaySince === undefined) return;
    this.#log(`The store can be written again, after ${seconds(this.awayMs)}.`);
    this.#awaySince = undefined;
  }

  get awayMs(): number {
    return this.#awaySince === undefined ? 0 : this.#clock.elapsed() - this.#awaySince;
  }

  get problems(): Readonly<Record<StoreProblem, number>> {
    return sum(this.#earlier, this.#health.problems);
  }

  /** For the readiness check, which anyone may request: the database's address, in its error, is only in the log. */
  get trouble(): string | undefined {
    if (this.#awaySince === undefined) return undefined;
    const kind = this.#health.kind === "away" ? ` (${this.#health.kindOfProblem})` : "";
    return `Reports wait in the journal: the store cannot be written${kind}, for ${seconds(this.awayMs)} now.`;
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

function kinds(problems: Readonly<Record<StoreProblem, number>>): StoreProblem[] {
  return Object.keys(problems) as StoreProblem[];
}

function sum(
  one: Readonly<Record<StoreProblem, number>>,
  other: Readonly<Record<StoreProblem, number>>,
): Readonly<Record<StoreProblem, number>> {
  const total = { ...one };
  for (const kind of kinds(one)) total[kind] += other[kind];
  return total;
}
