export interface TaskRun {
  dueAt: Date;
  outcome: { kind: "removed"; bookings: number } | { kind: "failed" };
}

/** The last runs of the tour's scheduled task, for its page. In memory: the console has all of them. */
class TaskRuns {
  #latest: TaskRun[] = [];
  #failsNext = false;

  /** The next run throws, and only that one. */
  failNext(): void {
    this.#failsNext = true;
  }

  get failsNext(): boolean {
    return this.#failsNext;
  }

  record(dueAt: Date, work: () => number): void {
    const fails = this.#failsNext;
    this.#failsNext = false;
    if (fails) {
      this.#add({ dueAt, outcome: { kind: "failed" } });
      throw new Error("The bookings could not be locked.");
    }
    this.#add({ dueAt, outcome: { kind: "removed", bookings: work() } });
  }

  latest(): readonly TaskRun[] {
    return this.#latest;
  }

  #add(run: TaskRun): void {
    this.#latest = [run, ...this.#latest].slice(0, 5);
  }
}

export const taskRuns = new TaskRuns();
