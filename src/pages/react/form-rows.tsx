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
  /** There are no more rows than `atLeast`. */
  disabled?: true;
  /** A message about the list as a whole: this button has the focus after a refusal. */
  "aria-invalid"?: true;
  "aria-describedby"?: string;
}

/** The rows of a list, and the attributes of a button that adds one. */
export interface FormRowList extends ReadonlyArray<FormRow> {
  add: RowButton;
}

export interface FormRowsProps<List extends string> {
  /** The state of the form. */
  form: Pick<FormState, "outcome" | "draft" | "error"> & { readonly lists?: List };
  /** Name of the list, such as `lines`. */
  list: NoInfer<List>;
  /** There are never fewer rows: an empty form has so many, and the last cannot be removed. None by default. */
  atLeast?: number;
  children: (rows: FormRowList) => ReactNode;
}

/**
 * The rows of a list: those that were typed or sent before, and never fewer than `atLeast`. Its buttons add and remove
 * rows, with and without JavaScript.
 *
 * @example
 * <FormRows form={form} list="lines" atLeast={1}>
 *   {(rows) => rows.map(({ key, index }) => <input key={key} {...form.field(`lines[${index}].amount`)} />)}
 * </FormRows>
 */
export function FormRows<List extends string>({ form, list, atLeast = 0, children }: FormRowsProps<List>): ReactNode {
  const { outcome, draft } = form;
  const message = form.error(list);
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
  const keys = changed ? keysIn(changed, list) : firstKeys(list, known);
  // The last key is that of the row which is added next.
  while (keys.length <= atLeast) keys.push((keys.at(-1) ?? 0) + 1);
  // Rows that have come or gone, and that there are none: a list without fields is empty, and not missing.
  const isSaid = changed !== undefined || keys.length === 1;
  return (
    <>
      {/* Enter presses the first button of a form, which would otherwise be one that removes a row. */}
      <button ref={inForm} type="submit" hidden />
      {isSaid && <input type="hidden" name={rowsField} value={`${list} ${keys}`} />}
      {children(rowsOf({ list, keys, atLeast, about: message?.id }))}
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
function firstKeys(list: string, known: Readonly<Record<string, unknown>>): number[] {
  const indexes = Object.keys(known).flatMap((name) =>
    name.startsWith(`${list}[`) ? Number.parseInt(name.slice(list.length + 1), 10) || 0 : [],
  );
  return [...Array(Math.max(0, ...indexes.map((index) => index + 1)) + 1).keys()];
}

interface Rows {
  list: string;
  /** The last one is the key of the row that is added next. */
  keys: readonly number[];
  atLeast: number;
  /** Id of the message about the list. */
  about: string | undefined;
}

function rowsOf({ list, keys, atLeast, about }: Rows): FormRowList {
  const button = (after: readonly number[]): RowButton => ({
    type: "submit",
    name: rowsField,
    value: `${list} ${keys} ${after}`,
    // Rows may change while fields are still empty.
    formNoValidate: true,
  });
  const kept = keys.length <= atLeast + 1 && { disabled: true as const };
  const rows = keys
    .slice(0, -1)
    .map((key, index) => ({ key, index, remove: { ...button(keys.filter((other) => other !== key)), ...kept } }));
  const wrong = about !== undefined && { "aria-invalid": true as const, "aria-describedby": about };
  return Object.assign(rows, { add: { ...button([...keys, (keys.at(-1) ?? 0) + 1]), ...wrong } });
}
