/** `(first, ...rest) => value` as `(...rest) => Promise<value>`. */
export type Bound<First, Call> = Call extends (first: First, ...rest: infer Rest) => infer Value
  ? (...rest: Rest) => Promise<Awaited<Value>>
  : never;

export type BoundAll<First, Calls> = { readonly [Name in keyof Calls]: Bound<First, Calls[Name]> };

/**
 * Binds the first argument of every function in a record. `first` is called for each call, and may be a promise. The
 * results become promises: an error that a function throws rejects its promise.
 */
export function bindFirst<
  First,
  const Calls extends Readonly<Record<string, (first: First, ...rest: never[]) => unknown>>,
>(first: () => First | Promise<First>, calls: Calls): BoundAll<First, Calls> {
  const bound = Object.entries(calls).map(([name, call]) => [
    name,
    async (...rest: never[]): Promise<unknown> => call(await first(), ...rest),
  ]);
  // The compiler does not follow the names through the entries.
  return Object.fromEntries(bound) as BoundAll<First, Calls>;
}
