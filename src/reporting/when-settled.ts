/**
 * Hears how a piece of work ends, whether it is a promise or not, and hands on what it returned. A promise that
 * somebody listens to counts as handled, so what is handed on is the one that follows: a failure that the application
 * does not care for stays one that nobody handled. Promises of a special kind can do more than a plain one, and are
 * handed on as they are.
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
