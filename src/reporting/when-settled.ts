/**
 * Calls `ended` when work ends, synchronous or not, and returns its result. A promise with a listener counts as
 * handled, so it returns the derived promise: an unhandled rejection of the application stays unhandled. A subclass of
 * Promise may have more methods, so it is returned itself.
 */
export function whenSettled<T>(result: T, ended: (failed: boolean) => void): T {
  if (!(result instanceof Promise)) {
    ended(false);
    return result;
  }
  const next = result.then(
    (value: unknown) => {
      ended(false);
      return value;
    },
    (error: unknown) => {
      ended(true);
      throw error;
    },
  );
  if (Object.getPrototypeOf(result) === Promise.prototype) return next as T;
  next.catch(() => undefined);
  return result;
}
