import { inTime } from "../in-time.ts";

export interface ActionWork<Value> {
  /** After so long the signal is aborted. */
  ms: number;
  /** Why it is. */
  tooLate: () => Error;
  /** Why it is when the process can wait no longer. */
  interrupted: () => Error;
  work: (signal: AbortSignal) => Value | PromiseLike<Value>;
}

export interface BegunAction<Value> {
  /** Rejects with `tooLate` when its time is up. */
  inItsTime: Promise<Value>;
  /** Settles when it has ended, however long that takes. */
  ended: Promise<Value>;
}

/**
 * The actions that have begun and not ended, of all pages of a process. An action does not depend on a connection: it
 * ends by itself, by its own deadline, or with the process, which waits for it.
 */
export class RunningActions {
  /** For each, the function that aborts its signal. */
  readonly #running = new Set<() => void>();
  #whenIdle: PromiseWithResolvers<void> | undefined;

  get count(): number {
    return this.#running.size;
  }

  /** Begins one. An action that does not heed its signal counts as running until it ends. */
  begin<Value>({ ms, tooLate, interrupted, work }: ActionWork<Value>): BegunAction<Value> {
    const stop = new AbortController();
    const abandon = (): void => stop.abort(interrupted());
    this.#running.add(abandon);
    const ended = (async () => work(stop.signal))().finally(() => this.#ended(abandon));
    const inItsTime = inTime(ended, ms, () => {
      const late = tooLate();
      stop.abort(late);
      return late;
    });
    return { inItsTime, ended };
  }

  /** Resolves when none is running. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  /** Tells all of them that the process can wait no longer. */
  abandon(): void {
    for (const abandon of this.#running) abandon();
  }

  #ended(abandon: () => void): void {
    this.#running.delete(abandon);
    if (this.#running.size > 0) return;
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
  }
}
