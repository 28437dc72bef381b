import { messageOf } from "#errors";
import { noProblems, type StoreHealth, type StoreProblem } from "../../store-health.ts";
import { storeProblemOf } from "./problems.ts";

const ofConnection: ReadonlySet<StoreProblem> = new Set([
  "unreachable",
  "shutting-down",
  "read-only",
  "refused",
  "too-many-connections",
]);

/** What the connections of one process have met. */
export class HealthRecord {
  readonly #problems: Record<StoreProblem, number> = { ...noProblems };
  #away: { since: number; why: string; kindOfProblem: StoreProblem } | undefined;

  /** Counts a problem. One that keeps this process from writing makes the store away until writing succeeds. */
  failed(error: unknown, work: "reading" | "writing"): void {
    const problem = storeProblemOf(error);
    if (problem === undefined) return;
    this.#problems[problem] += 1;
    // A collision is over when it is noticed.
    if (work === "reading" || problem === "collision") return;
    const why = messageOf(error);
    this.#away = { since: this.#away?.since ?? Date.now(), why, kindOfProblem: problem };
  }

  /** A short write was answered: the connection is good, and the database may still lack room for more. */
  reached(): void {
    if (this.#away !== undefined && ofConnection.has(this.#away.kindOfProblem)) this.#away = undefined;
  }

  /** A batch or a fold was written. */
  written(): void {
    this.#away = undefined;
  }

  now(): StoreHealth {
    const problems = { ...this.#problems };
    return this.#away === undefined ? { kind: "well", problems } : { kind: "away", ...this.#away, problems };
  }
}
