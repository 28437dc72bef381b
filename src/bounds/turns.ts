export interface TurnLimits {
  /** Work that runs at the same time. */
  readonly atOnce: number;
  /** Work that waits for its turn. Further work is refused. */
  readonly waiting: number;
  /** Waiting places that are reserved for urgent work. */
  readonly reservedForUrgent?: number;
}

interface Waiting {
  readonly isUrgent: boolean;
  readonly begin: () => void;
}

/** Work that takes turns: it starts now, waits in a queue of limited length, or is refused. Urgent work goes first. */
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

  /** Whether work would be accepted now. */
  hasRoom(isUrgent = false): boolean {
    const slots = this.#limits.waiting - (isUrgent ? 0 : (this.#limits.reservedForUrgent ?? 0));
    return this.#running < this.#limits.atOnce || this.#queue.length < slots;
  }

  /**
   * Calls `begin` in its turn, at once or later, with a function that ends the turn and may be called more than once.
   * Returns a function that leaves the queue; `undefined` if the work is refused.
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

  /** The same for work that returns a promise. */
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
