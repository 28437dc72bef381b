import { StoreUnavailable } from "../../store.ts";
import { BackOff } from "../connect/back-off.ts";
import { backOffFor, lacksRoom } from "../connect/hosts.ts";
import { storeProblemOf } from "../connect/problems.ts";
import type { PostgresLimits } from "../limits.ts";

/** A server without space, memory or connections is left alone for a while: each batch would take some of them. */
export class FilingPause {
  readonly #limits: PostgresLimits;
  readonly #backOff = new BackOff();
  #cause: unknown;

  constructor(limits: PostgresLimits) {
    this.#limits = limits;
  }

  /** Throws while the pause lasts. */
  requireOver(): void {
    if (this.#backOff.remainingMs > 0) throw new StoreUnavailable(this.#cause);
  }

  after(error: unknown): void {
    const problem = storeProblemOf(error);
    if (problem === undefined || !lacksRoom(problem)) return;
    this.#cause = error;
    this.#backOff.failed(backOffFor(problem, this.#limits));
  }

  end(): void {
    this.#backOff.succeeded();
  }
}
