/**
 * Rejects with the error of `passed` when the work exceeds its time limit. The result of the work is ignored after
 * that.
 */
export function inTime<Value>(work: PromiseLike<Value>, ms: number, passed: () => unknown): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const timer = setTimeout(() => reject(passed()), ms);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (thrown: unknown) => {
        clearTimeout(timer);
        reject(thrown);
      },
    );
  });
}
