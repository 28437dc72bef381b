/** Ten syncs in a second at most, however many submissions are done; a copy of one that is done stays no longer. */
const pauseMs = 100;
/** Copies that wait to be removed count as kept. A tenth of what may be kept does not wait for the pause. */
const atOnce = 100;

export interface RemovalDeps {
  /** Resolves when the memory of submissions is on disk as it is now. */
  sync: () => Promise<void>;
  remove: (id: string) => Promise<void>;
}

/**
 * Removes the copies of submissions that are done and remembered, after their visitors have their responses. In this
 * order: the copy is synced, the action runs, the memory gets its outcome, the memory is synced, the copy is removed.
 * A loss of power before the second sync may forget the outcome; the copy is then one that may have been done, and does
 * not run by itself. If the copy were removed first, the same submission could run again.
 */
export class Removals {
  readonly #deps: RemovalDeps;
  #waiting: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(deps: RemovalDeps) {
    this.#deps = deps;
  }

  add(id: string): void {
    this.#waiting.push(id);
    if (this.#waiting.length >= atOnce) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), pauseMs).unref();
  }

  /** Removes all that wait, at once. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = this.#waiting;
    this.#waiting = [];
    if (ids.length > 0) this.#last = this.#last.then(() => this.#removeAll(ids));
    return this.#last;
  }

  async #removeAll(ids: readonly string[]): Promise<void> {
    try {
      await this.#deps.sync();
      for (const id of ids) await this.#deps.remove(id);
    } catch {
      // What stays is looked after later, like the copies of a process that died: it is remembered as done.
    }
  }
}
