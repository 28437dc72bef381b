import type { CommitSummary } from "../../filed.ts";
import type { PostgresLimits } from "../limits.ts";
import { fold } from "./fold.ts";
import { type FoldDeps, type Folded, nothingFolded } from "./open-fold.ts";

/**
 * When the sums of batches are folded into the counters: soon after a batch, but each project only every so often. Any
 * process may fold what any other has filed.
 */
export class Folds {
  readonly #deps: FoldDeps;
  readonly #limits: Pick<PostgresLimits, "foldEveryMs" | "deltasAtOnce" | "leftMs">;
  readonly #due = new Map<number, NodeJS.Timeout>();
  readonly #foldedAt = new Map<number, number>();
  #turn: Promise<unknown> = Promise.resolve();
  #waiting: Folded = nothingFolded;

  constructor(deps: FoldDeps, limits: Pick<PostgresLimits, "foldEveryMs" | "deltasAtOnce" | "leftMs">) {
    this.#deps = deps;
    this.#limits = limits;
  }

  /** After a batch of these projects. A fold that fails is done again: the batch is filed all the same. */
  async after(projects: readonly number[]): Promise<Pick<CommitSummary, "newIssues" | "regressedIssues">> {
    for (const project of projects) {
      const wait = (this.#foldedAt.get(project) ?? 0) + this.#limits.foldEveryMs - performance.now();
      if (wait > 0 && this.#foldedAt.has(project)) this.#foldLater(project, wait);
      else await this.#fold(project).catch(() => this.#foldLater(project, this.#limits.foldEveryMs));
    }
    return this.#takeWaiting();
  }

  /** Folds until nothing waits. */
  async settled(): Promise<Pick<CommitSummary, "newIssues" | "regressedIssues">> {
    for (;;) {
      const waiting = await this.#deps.pool.all<{ project: number }>(
        `SELECT project FROM holdfast.delta UNION SELECT project FROM holdfast.session_delta`,
      );
      if (waiting.length === 0) return this.#takeWaiting();
      for (const { project } of waiting) await this.#fold(project);
    }
  }

  /** Folds what has waited for longer than its own process needs: that one is gone, or has no time. */
  async foldLeft(): Promise<void> {
    const left = await this.#deps.pool.all<{ project: number }>(
      `SELECT project FROM holdfast.delta WHERE at < now() - $1 * interval '1 millisecond'
       UNION SELECT project FROM holdfast.session_delta WHERE at < now() - $1 * interval '1 millisecond'`,
      this.#limits.leftMs,
    );
    for (const { project } of left) await this.#fold(project);
  }

  close(): void {
    for (const timer of this.#due.values()) clearTimeout(timer);
    this.#due.clear();
  }

  #foldLater(project: number, wait: number): void {
    if (this.#due.has(project)) return;
    const again = (): void => {
      this.#due.delete(project);
      this.#fold(project).catch(() => this.#foldLater(project, this.#limits.foldEveryMs));
    };
    this.#due.set(project, setTimeout(again, wait).unref());
  }

  /** One after the other: they share a connection. */
  async #fold(project: number): Promise<void> {
    const turn = this.#turn.then(() => fold(this.#deps, project, this.#limits.deltasAtOnce));
    this.#turn = turn.catch(() => undefined);
    const folded = await turn;
    const { newIssues, regressedIssues } = folded;
    if (folded !== nothingFolded) this.#deps.health.written();
    this.#foldedAt.set(project, performance.now());
    this.#waiting = {
      newIssues: [...this.#waiting.newIssues, ...newIssues],
      regressedIssues: [...this.#waiting.regressedIssues, ...regressedIssues],
    };
  }

  #takeWaiting(): Folded {
    const waiting = this.#waiting;
    this.#waiting = nothingFolded;
    return waiting;
  }
}
