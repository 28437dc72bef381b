import { flushSync } from "react-dom";
import { valuesByName } from "../../field-names.ts";
import { changeRows, type RowsChange, readRows, readRowsChange, renameFields } from "../../form-rows.ts";
import { rowsField } from "../../page-data.ts";
import type { Press } from "../../react/browser-runtime.ts";
import type { FormEnd, Posted } from "../../react/slots.ts";
import type { FieldValues } from "../../view.ts";
import type { Drafts } from "../drafts/drafts.ts";

/** What it needs of the page on screen: `LivePage`. This file imports nothing that is loaded with it. */
export interface EditRowsPage {
  outcomes: Map<string, FormEnd> | undefined;
  drafts: Pick<Drafts, "keep" | "isStorable">;
  /** Renders the forms. */
  tick(): void;
}

/** Adds or removes a row of a list, as the server does for a page without scripts. `name` is that of the form. */
export function editRows({ element, form }: Press, name: string | undefined, page: EditRowsPage): Posted {
  const { outcomes, drafts } = page;
  const texts = form.getAll(rowsField).map(String);
  const change = readRowsChange(texts);
  if (change && element && name !== undefined) {
    const values = changeRows({ ...typedIn(element, form, drafts), [rowsField]: readRows(texts) }, change);
    outcomes?.set(name, changed(outcomes.get(name), values, change));
    flushSync(() => page.tick());
    drafts.keep(element, name);
    focusRow(element, change);
  }
  return { kind: "discarded" };
}

/** What the visitor has typed, without passwords and the like, as the server would send it back. */
function typedIn(element: HTMLFormElement, form: FormData, { isStorable }: EditRowsPage["drafts"]): FieldValues {
  const fields = [...element.querySelectorAll<HTMLInputElement>("input,textarea,select")];
  const names = new Set(fields.filter(isStorable).map((field) => field.name));
  const values: Record<string, string | readonly string[]> = {};
  for (const [name, sent] of valuesByName(form)) {
    const texts = sent.map(String);
    if (names.has(name)) values[name] = texts.length > 1 ? texts : (texts[0] ?? "");
  }
  return values;
}

/** Messages move with their rows. */
function changed(before: FormEnd | undefined, values: FieldValues, change: RowsChange): FormEnd {
  if (before?.kind !== "invalid") return { kind: "edited", values };
  return { ...before, fields: renameFields(before.fields, change), values };
}

/** Focuses the row that was added. The button of a removed one is gone: the row in its place, or the one before. */
function focusRow(form: HTMLFormElement, { list, before, after }: RowsChange): void {
  const rows = after.length - 1;
  const removed = before.findIndex((key) => !after.includes(key));
  const index = removed < 0 ? rows - 1 : Math.min(removed, rows - 1);
  const inRow = `[name^="${CSS.escape(`${list}[${index}]`)}"]:not([type=hidden])`;
  const button = `button[name=${rowsField}][value^="${CSS.escape(`${list} `)}"]`;
  (form.querySelector<HTMLElement>(inRow) ?? form.querySelector<HTMLElement>(button))?.focus();
}
