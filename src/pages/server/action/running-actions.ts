import { inTime } from "../in-time.ts";

export interface ActionWork<Value> {
  /** Time until the signal is aborted. */
  ms: number;
  /** Creates the abort reason at the deadline. */
  tooLate: () => Error;
  /** Creates the abort reason when the process cannot wait longer. */
  interrupted: () => Error;
  work: (signal: AbortSignal) => Value | PromiseLike<Value>;
}

export interface BegunAction<Value> {
  /** Rejects with `tooLate` at the deadline. */
  inItsTime: Promise<Value>;
  /** Settles when the action has ended, without a time limit. */
  ended: Promise<Value>;
}

/**
 * The running actions of a process, over all pages; another one has the work after responses. An action does not depend
 * on a connection: it ends by itself, at its own deadline, or with the process, which waits for it.
 */
export class RunningActions {
  /** For each action, the function that aborts its signal. */
  readonly #running = new Set<() => void>();
  #whenIdle: PromiseWithResolvers<void> | undefined;

  get count(): number {
    return this.#running.size;
  }

  /** Starts an action. One that ignores its signal counts as running until it ends. */
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

  /** Aborts all actions, because the process cannot wait longer. */
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
