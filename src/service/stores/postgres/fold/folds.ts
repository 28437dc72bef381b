import type { CommitSummary } from "../../filed.ts";
import type { PostgresLimits } from "../limits.ts";
import { fold } from "./fold.ts";
import { LowMark } from "./low-mark.ts";
import { type FoldDeps, nothingFolded } from "./open-fold.ts";

type FoldLimits = Pick<PostgresLimits, "foldEveryMs" | "deltasAtOnce" | "leftMs" | "fullSweepMs" | "visibleAfterMs">;

type Summary = Pick<CommitSummary, "newIssues" | "regressedIssues">;

const nothingNew: Summary = { newIssues: [], regressedIssues: [] };

/**
 * When the sums of batches are folded into the counters: soon after a batch, but each project only every so often. Any
 * process may fold what any other has filed.
 */
export class Folds {
  readonly #deps: FoldDeps;
  readonly #limits: FoldLimits;
  readonly #due = new Map<number, NodeJS.Timeout>();
  readonly #foldedAt = new Map<number, number>();
  readonly #mark: LowMark;
  #fullSweepAt = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = nothingNew;

  constructor(deps: FoldDeps, limits: FoldLimits) {
    this.#deps = deps;
    this.#limits = limits;
    this.#mark = new LowMark(limits.visibleAfterMs, () => performance.now());
  }

  /** After a batch of these projects. A fold that fails is done again: the batch is filed all the same. */
  async after(projects: readonly number[]): Promise<Summary> {
    for (const project of projects) {
      const wait = (this.#foldedAt.get(project) ?? 0) + this.#limits.foldEveryMs - performance.now();
      if (wait > 0 && this.#foldedAt.has(project)) this.#foldLater(project, wait);
      else await this.#fold(project).catch(() => this.#foldLater(project, this.#limits.foldEveryMs));
    }
    return this.#takeWaiting();
  }

  /** Folds until nothing waits. */
  async settled(): Promise<Summary> {
    for (;;) {
      const waiting = await this.#deps.pool.all<{ project: number }>(
        `SELECT project FROM holdfast.delta UNION SELECT project FROM holdfast.session_delta`,
      );
      if (waiting.length === 0) return this.#takeWaiting();
      for (const { project } of waiting) await this.#fold(project, 0);
    }
  }

  /** Folds what has waited for longer than its own process needs: that one is gone, or has no time. */
  async foldLeft(): Promise<void> {
    const dueAt = this.#fullSweepAt;
    const isFull = performance.now() >= dueAt;
    // If this sweep fails, the next one is full: a failover may have brought back batches that were folded.
    this.#fullSweepAt = 0;
    const after = isFull ? 0 : this.#mark.id;
    const left = await this.#deps.pool.all<{ project: number }>(
      `SELECT project FROM holdfast.delta WHERE id > $2 AND at < now() - $1 * interval '1 millisecond'
       UNION SELECT project FROM holdfast.session_delta WHERE at < now() - $1 * interval '1 millisecond'`,
      this.#limits.leftMs,
      after,
    );
    for (const { project } of left) await this.#fold(project, after);
    this.#fullSweepAt = isFull ? performance.now() + this.#limits.fullSweepMs : dueAt;
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
  async #fold(project: number, after = this.#mark.id): Promise<void> {
    const range = { after, atOnce: this.#limits.deltasAtOnce };
    const turn = this.#turn.then(() => fold(this.#deps, project, range));
    this.#turn = turn.catch(() => undefined);
    const folded = await turn;
    const { ids, newIssues, regressedIssues } = folded;
    for (const id of ids) this.#mark.folded(id);
    if (folded !== nothingFolded) this.#deps.health.written();
    this.#foldedAt.set(project, performance.now());
    this.#waiting = {
      newIssues: [...this.#waiting.newIssues, ...newIssues],
      regressedIssues: [...this.#waiting.regressedIssues, ...regressedIssues],
    };
  }

  #takeWaiting(): Summary {
    const waiting = this.#waiting;
    this.#waiting = nothingNew;
    return waiting;
  }
}
