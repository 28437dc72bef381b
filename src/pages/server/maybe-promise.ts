/**
 * A value, or a promise of it. Most requests need not wait at most steps; without a promise each step saves time,
 * memory and a turn of the microtask queue.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with the value, synchronously if it is available. */
export function chain<Value, Next>(
  maybe: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return maybe instanceof Promise ? maybe.then(next) : next(maybe);
}

/** Continues with all values, synchronously if all are available. */
export function chainAll<Value>(list: readonly MaybePromise<Value>[]): MaybePromise<readonly Value[]> {
  return areValues(list) ? list : Promise.all(list);
}

function areValues<Value>(list: readonly MaybePromise<Value>[]): list is readonly Value[] {
  return list.every((one) => !(one instanceof Promise));
}
