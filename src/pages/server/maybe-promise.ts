/**
 * What is there already, or will be. Most requests have to wait for nothing on most of their way; a promise that is not
 * made for them, with its turn in the queue, is time and memory saved on each.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Goes on with the value: at once where it is there. */
export function chain<Value, Next>(
  soon: MaybePromise<Value>,
  goOn: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return soon instanceof Promise ? soon.then(goOn) : goOn(soon);
}

/** Goes on with all of them: at once where none has to be waited for. */
export function chainAll<Value>(list: readonly MaybePromise<Value>[]): MaybePromise<readonly Value[]> {
  return areThere(list) ? list : Promise.all(list);
}

function areThere<Value>(list: readonly MaybePromise<Value>[]): list is readonly Value[] {
  return list.every((one) => !(one instanceof Promise));
}
