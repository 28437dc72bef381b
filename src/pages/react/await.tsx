import { type ReactNode, Suspense, use } from "react";

/**
 * Shows a promise of the page's data when it has arrived. Until then shows `fallback`, or without one the nearest `_loading`.
 *
 * @example <Await value={data.history} fallback={<p>Loading…</p>}>{(history) => <Timeline items={history} />}</Await>
 */
export function Await<Value>(props: {
  value: Value | PromiseLike<Value>;
  fallback?: ReactNode;
  children: (value: Value) => ReactNode;
}): ReactNode {
  const arrived = <Arrived value={props.value}>{props.children}</Arrived>;
  return props.fallback === undefined ? arrived : <Suspense fallback={props.fallback}>{arrived}</Suspense>;
}

function Arrived<Value>({
  value,
  children,
}: {
  value: Value | PromiseLike<Value>;
  children: (value: Value) => ReactNode;
}): ReactNode {
  return children(isPromiseLike(value) ? use(value as Promise<Value>) : value);
}

function isPromiseLike<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
