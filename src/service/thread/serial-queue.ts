/** Runs tasks one after the other, in the order in which they came. A task that fails does not hold up the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Value>(task: () => Promise<Value>): Promise<Value> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
