export interface TurnLimits {
  /** So many run at the same time. */
  readonly atOnce: number;
  /** So many wait for their turn. Further ones are refused. */
  readonly waiting: number;
  /** Of the places to wait, these are kept for urgent work. */
  readonly keptForUrgent?: number;
}

interface Waiting {
  readonly isUrgent: boolean;
  readonly begin: () => void;
}

/**
 * Work that takes turns: it begins now, or waits in a queue of bounded length, or is refused. Urgent work goes first.
 */
export class Turns {
  readonly #limits: TurnLimits;
  #queue: Waiting[] = [];
  #running = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether work would be taken now. */
  hasRoom(isUrgent = false): boolean {
    const places = this.#limits.waiting - (isUrgent ? 0 : (this.#limits.keptForUrgent ?? 0));
    return this.#running < this.#limits.atOnce || this.#queue.length < places;
  }

  /**
   * Calls `begin` in its turn, at once or later, with a function that ends the turn. That function may be called more
   * than once. Returns a function that gives up the place in the queue; `undefined` when the work is refused.
   */
  enter(begin: (leave: () => void) => void, isUrgent = false): (() => void) | undefined {
    if (this.#running < this.#limits.atOnce) {
      this.#begin(begin);
      return () => undefined;
    }
    if (!this.hasRoom(isUrgent)) return undefined;
    const entry: Waiting = { isUrgent, begin: () => this.#begin(begin) };
    const behind = isUrgent ? this.#queue.findIndex((other) => !other.isUrgent) : -1;
    this.#queue.splice(behind < 0 ? this.#queue.length : behind, 0, entry);
    return () => {
      this.#queue = this.#queue.filter((other) => other !== entry);
    };
  }

  /** The same for work that is a promise. */
  run<Value>(
    work: () => Promise<Value>,
    isUrgent = false,
  ): Promise<{ kind: "done"; value: Value } | { kind: "refused" }> {
    return new Promise((resolve, reject) => {
      const entered = this.enter((leave) => {
        work()
          .then((value) => resolve({ kind: "done", value }), reject)
          .finally(leave);
      }, isUrgent);
      if (entered === undefined) resolve({ kind: "refused" });
    });
  }

  #begin(begin: (leave: () => void) => void): void {
    this.#running += 1;
    let hasLeft = false;
    begin(() => {
      if (hasLeft) return;
      hasLeft = true;
      this.#running -= 1;
      this.#queue.shift()?.begin();
    });
  }
}
