import { rowsField } from "./page-data.ts";
import type { FieldValues } from "./view.ts";

/**
 * A press of a button that adds or removes a row of a list. Its value has the list and the keys of its rows before and
 * after, as `lines 0,1,2,3 0,2,3`. The last number is the key of the row that is added next.
 */
export interface RowsChange {
  list: string;
  before: readonly string[];
  after: readonly string[];
}

/** The digits bound a key, and the limit on the fields of a form bounds what its rows can send. */
const changeText = /^(\S{1,200}) (\d{1,9}(?:,\d{1,9}){0,1000}) (\d{1,9}(?:,\d{1,9}){0,1000})$/;
const rowsText = /^\S{1,200} \d{1,9}(?:,\d{1,9}){0,1000}$/;

export function readRowsChange(values: readonly string[]): RowsChange | undefined {
  const [, list = "", before = "", after = ""] = values.map((text) => changeText.exec(text)).find(Boolean) ?? [];
  return list === "" ? undefined : { list, before: before.split(","), after: after.split(",") };
}

/** Hidden fields of lists whose rows were changed before. Everything else is ignored. */
export function readRows(values: readonly string[]): string[] {
  return values.filter((text) => rowsText.test(text));
}

/** The lists that have no rows: they sent no fields, and the schema gets an empty list all the same. */
export function emptyLists(values: readonly string[]): string[] {
  return readRows(values).flatMap((text) => {
    const [list = "", keys = ""] = text.split(" ");
    return keys.includes(",") ? [] : [list];
  });
}

/** What was typed, under the names that the fields have after the change. */
export function changeRows(values: FieldValues, change: RowsChange): FieldValues {
  const rows = [values[rowsField] ?? []].flat().flatMap((text) => {
    const [list = "", keys] = text.split(" ");
    const renamed = renameField(list, change);
    return renamed === undefined || renamed === change.list ? [] : [`${renamed} ${keys}`];
  });
  return { ...renameFields(values, change), [rowsField]: [...rows, `${change.list} ${change.after}`] };
}

/** Values or messages by field, without those of a row that is removed. */
export function renameFields<Value>(of: Readonly<Record<string, Value>>, change: RowsChange): Record<string, Value> {
  const renamed = Object.entries(of).map(([name, value]) => [renameField(name, change), value] as const);
  return Object.fromEntries(renamed.filter(([name]) => name !== undefined));
}

function renameField(name: string, { list, before, after }: RowsChange): string | undefined {
  const [, index, rest] = (name.startsWith(`${list}[`) && /^\[(\d+)\](.*)$/s.exec(name.slice(list.length))) || [];
  if (index === undefined) return name;
  const at = after.slice(0, -1).indexOf(before[Number(index)] ?? "");
  return at < 0 ? undefined : `${list}[${at}]${rest}`;
}
