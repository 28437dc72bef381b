/** Rejects with what `passed` returns when the work takes too long. What becomes of the work afterwards is nobody's concern any more. */
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
