/** Resolves with what to do after the next step has begun. */
export type JournalStep = () => Promise<(() => void) | undefined>;

/** Steps on the current file of the journal, one at a time. */
export class JournalSteps {
  readonly #next: () => JournalStep | undefined;
  #running: Promise<void> | undefined;

  constructor(next: () => JournalStep | undefined) {
    this.#next = next;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Begins the next step, if there is one and none is running. */
  begin(): void {
    if (this.#running !== undefined) return;
    const step = this.#next();
    if (step !== undefined) this.#run(step());
  }

  /** Runs a step of the caller between two others, and resolves or rejects with it. */
  async insert(step: () => Promise<void>): Promise<void> {
    await this.idle();
    const inserted = step();
    this.#run(
      inserted.then(
        () => undefined,
        () => undefined,
      ),
    );
    await inserted;
  }

  /** Resolves when no step is running. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #run(step: Promise<(() => void) | undefined>): void {
    this.#running = step.then((andThen) => {
      this.#running = undefined;
      this.begin();
      andThen?.();
    });
  }
}
