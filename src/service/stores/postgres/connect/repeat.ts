/** Runs a task again and again, with this pause in between, until it is closed. It does not keep the process alive. */
export class Repeat {
  readonly #task: () => Promise<unknown>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(everyMs: number, task: () => Promise<unknown>) {
    this.#everyMs = everyMs;
    this.#task = task;
    this.#runLater();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #runLater(): void {
    if (this.#isClosed) return;
    const run = (): void => {
      // A task that fails is due again: what it met is in the health of the store.
      this.#task()
        .catch(() => undefined)
        .finally(() => this.#runLater());
    };
    this.#timer = setTimeout(run, this.#everyMs).unref();
  }
}
