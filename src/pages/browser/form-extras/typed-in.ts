import { valuesByName } from "../../field-names.ts";
import { readRows } from "../../form-rows.ts";
import { rowsField } from "../../page-data.ts";
import type { FieldValues } from "../../view.ts";
import type { ExtrasPage } from "./extras-page.ts";

/** What the visitor has typed and which rows there are, without passwords and the like, as a refusal sends it back. */
export function typedIn(element: HTMLFormElement, form: FormData, { drafts }: ExtrasPage): FieldValues {
  const fields = [...element.querySelectorAll<HTMLInputElement>("input,textarea,select")];
  // Of ticks the form has to know all: the others were taken away.
  const isKnown = (field: HTMLInputElement): boolean =>
    /^(?:checkbox|radio)$/.test(field.type) || drafts.isStorable(field);
  const names = new Set(fields.filter(isKnown).map((field) => field.name));
  const values: Record<string, string | readonly string[]> = {};
  for (const [name, sent] of valuesByName(form)) {
    const texts = sent.map(String);
    if (names.has(name)) values[name] = texts.length > 1 ? texts : (texts[0] ?? "");
  }
  const rows = readRows(form.getAll(rowsField).map(String));
  return rows.length > 0 ? { ...values, [rowsField]: rows } : values;
}
