import { useCallback, useLayoutEffect, useMemo, useState } from "react";
import { runtimeIfRunning } from "./browser-runtime.ts";
import { type HistoryValues, withValue } from "./history-values.ts";
import { usePage } from "./page-context.ts";

/** A string, or the message that the compiler shows for a value that JSON cannot hold. */
export type HistoryKey<Value> = [Value] extends [JsonForm<Value>] ? string : "the key of a value that JSON can hold";

type JsonForm<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends ((...given: never[]) => unknown) | Date | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
    ? never
    : Value extends object
      ? { [Key in keyof Value]: JsonForm<Value[Key]> }
      : never;

export interface SetHistoryStateOptions {
  /** Adds an entry to the history, so that Back undoes the change. */
  push?: boolean;
}

/** A function gets the value as it is now. */
export type SetHistoryState<Value> = (
  next: Value | ((before: Value) => Value),
  options?: SetHistoryStateOptions,
) => void;

/**
 * Returns a value that belongs to the present entry of the browser's history, and a function that changes it: an open
 * tab, a filter of what is already there. It survives Back, Forward and a reload, and requests nothing. The server
 * renders `initial`.
 *
 * @example const [tab, setTab] = useHistoryState("tab", "details");
 */
export function useHistoryState<Value>(
  key: HistoryKey<Value>,
  initial: Value,
): readonly [value: Value, set: SetHistoryState<Value>] {
  const page = usePage();
  const [text, setText] = useState<string>();
  useLayoutEffect(() => {
    const read = (): void => {
      // During a step in the history, and below a dialog, the entry is that of another page.
      if (location.pathname !== page.path) return;
      present = valuesNow();
      setText(present[key]);
    };
    read();
    readers.add(read);
    return () => void readers.delete(read);
  }, [page, key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as for useState, the first initial value counts.
  const value = useMemo(() => (text === undefined ? initial : (JSON.parse(text) as Value)), [text]);
  const set = useCallback<SetHistoryState<Value>>(
    (next, { push = false } = {}) => {
      const before = location.pathname === page.path ? valuesNow()[key] : text;
      const now = before === undefined ? initial : (JSON.parse(before) as Value);
      const values = withValue(valuesNow(), key, next instanceof Function ? next(now) : next);
      if (values[key] === (before ?? JSON.stringify(initial))) return;
      if (location.pathname !== page.path) return setText(values[key]);
      write(values, push);
    },
    [page, key, text, initial],
  );
  return [value, set];
}

/** One for each use of the hook on the page. */
const readers = new Set<() => void>();
/** Of the present entry: a new entry inside of the page, by a hash, begins with them. */
let present: HistoryValues = {};

if (typeof addEventListener === "function")
  addEventListener(
    "popstate",
    () => {
      // An entry that has no place number yet is new. In the capture phase this comes before it gets one.
      if (typeof Object(history.state).holdfast !== "number") writeState({ ...Object(history.state), values: present });
      readAll();
    },
    true,
  );

function readAll(): void {
  for (const read of readers) read();
}

function write(values: HistoryValues, push: boolean): void {
  if (push) {
    history.pushState({ values }, "");
    runtimeIfRunning()?.entryAdded();
  } else writeState({ ...Object(history.state), values });
  readAll();
}

function writeState(state: object): void {
  history.replaceState(state, "");
}

/** The application may have written anything into the state. */
function valuesNow(): HistoryValues {
  const { values }: { values?: unknown } = Object(history.state);
  const known = Object.entries(Object(values)).filter(([, text]) => typeof text === "string");
  return Object.fromEntries(known) as HistoryValues;
}
