import { type ReactNode, useEffect, useRef, useState } from "react";
import { rowsField } from "../page-data.ts";
import type { FormState } from "./form.tsx";

/** One row of a list in a form. */
export interface FormRow {
  /** Its place in the list, for the names of its fields: `lines[0].amount`. */
  index: number;
  /** Stays the same while other rows come and go: the `key` for React, and the index of the row's own data. */
  key: number;
  /** Attributes of a button that removes it. */
  remove: RowButton;
}

export interface RowButton {
  type: "submit";
  name: string;
  value: string;
  formNoValidate: true;
}

/** The rows of a list, and the attributes of a button that adds one. */
export interface FormRowList extends ReadonlyArray<FormRow> {
  add: RowButton;
}

export interface FormRowsProps<List extends string> {
  /** The state of the form. */
  form: Pick<FormState, "outcome" | "draft"> & { readonly lists?: List };
  /** Name of the list, such as `lines`. */
  list: NoInfer<List>;
  /** Rows of a form into which nothing was typed yet. None by default. */
  atLeast?: number;
  children: (rows: FormRowList) => ReactNode;
}

/**
 * The rows of a list: those that were typed or sent before, and at least so many. Its buttons add and remove rows, with
 * and without JavaScript.
 *
 * @example
 * <FormRows form={form} list="lines" atLeast={1}>
 *   {(rows) => rows.map(({ key, index }) => <input key={key} {...form.field(`lines[${index}].amount`)} />)}
 * </FormRows>
 */
export function FormRows<List extends string>({ form, list, atLeast = 0, children }: FormRowsProps<List>): ReactNode {
  const { outcome, draft } = form;
  // Stays until the form is emptied: the outcome of a failure has no values.
  const [{ known, from }, setKnown] = useState(nothingKnown);
  const inForm = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const owner = inForm.current?.form;
    const forget = (): void => setKnown(nothingKnown);
    owner?.addEventListener("reset", forget);
    return () => owner?.removeEventListener("reset", forget);
  }, []);
  // Each once: an older draft must not undo what was changed since.
  for (const values of [draft, outcome && "values" in outcome ? outcome.values : undefined]) {
    if (!values || from.has(values)) continue;
    Object.assign(known, values);
    from.add(values);
  }
  const changed = [known[rowsField] ?? []]
    .flat()
    .map(String)
    .find((text) => text.startsWith(`${list} `));
  return (
    <>
      {/* Enter presses the first button of a form, which would otherwise be one that removes a row. */}
      <button ref={inForm} type="submit" hidden />
      {changed && <input type="hidden" name={rowsField} value={changed} />}
      {children(rowsOf(list, changed ? keysIn(changed, list) : firstKeys(list, atLeast, known)))}
    </>
  );
}

/** What was typed or sent, by field, and the drafts and outcomes that said so. */
function nothingKnown(): { known: Record<string, unknown>; from: WeakSet<object> } {
  return { known: {}, from: new WeakSet() };
}

function keysIn(changed: string, list: string): number[] {
  return changed
    .slice(list.length + 1)
    .split(",")
    .map(Number);
}

/** As many rows as were typed or sent. */
function firstKeys(list: string, atLeast: number, known: Readonly<Record<string, unknown>>): number[] {
  const indexes = Object.keys(known).flatMap((name) =>
    name.startsWith(`${list}[`) ? Number.parseInt(name.slice(list.length + 1), 10) || 0 : [],
  );
  return [...Array(Math.max(atLeast, ...indexes.map((index) => index + 1)) + 1).keys()];
}

/** The last one is the key of the row that is added next. */
function rowsOf(list: string, keys: readonly number[]): FormRowList {
  const button = (after: readonly number[]): RowButton => ({
    type: "submit",
    name: rowsField,
    value: `${list} ${keys} ${after}`,
    // Rows may change while fields are still empty.
    formNoValidate: true,
  });
  const rows = keys
    .slice(0, -1)
    .map((key, index) => ({ key, index, remove: button(keys.filter((other) => other !== key)) }));
  return Object.assign(rows, { add: button([...keys, (keys.at(-1) ?? 0) + 1]) });
}
