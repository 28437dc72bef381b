import { flushSync } from "react-dom";
import { changeRows, type RowsChange, readRowsChange, renameFields } from "../../form-rows.ts";
import { rowsField } from "../../page-data.ts";
import type { Press } from "../../react/browser-runtime.ts";
import type { FormEnd } from "../../react/slots.ts";
import type { FieldValues } from "../../view.ts";
import type { ExtrasPage, PressedForm } from "./extras-page.ts";
import { typedIn } from "./typed-in.ts";

/**
 * Adds or removes a row of a list if a button for that was pressed, as the server does for a page without scripts.
 * Returns whether it was.
 */
export function editRows(pressed: PressedForm, submitter: Press["submitter"], page: ExtrasPage): boolean {
  if (!readRowsChange(pressed.form.getAll(rowsField).map(String))) return false;
  const { element, name } = pressed;
  // Several presses may have waited for this code. Each starts from the rows that the one before has left.
  const isThere = submitter && "form" in submitter && submitter.form === element;
  const form = new FormData(element, isThere ? submitter : undefined);
  const change = readRowsChange(form.getAll(rowsField).map(String));
  // The row of its button is gone already.
  if (!change) return true;
  const { outcomes, drafts } = page;
  outcomes?.set(name, changed(outcomes.get(name), changeRows(typedIn(element, form, page), change), change));
  flushSync(() => page.tick());
  drafts.keep(element, name);
  focusRow(element, change);
  return true;
}

/** Messages move with their rows. That of the list is about other rows than these. */
function changed(before: FormEnd | undefined, values: FieldValues, change: RowsChange): FormEnd {
  if (before?.kind !== "invalid") return { kind: "edited", values };
  const { [change.list]: _, ...fields } = renameFields(before.fields, change);
  return { ...before, fields, values };
}

/** Focuses the row that was added. The button of a removed one is gone: the row in its place, or the one before. */
function focusRow(form: HTMLFormElement, { list, before, after }: RowsChange): void {
  const rows = after.length - 1;
  const removed = before.findIndex((key) => !after.includes(key));
  const index = removed < 0 ? rows - 1 : Math.min(removed, rows - 1);
  // Texts of JSON are texts of CSS. Documents of tests have no `CSS.escape`.
  const inRow = `[name^=${JSON.stringify(`${list}[${index}]`)}]:not([type=hidden])`;
  const button = `button[name=${rowsField}][value^=${JSON.stringify(`${list} `)}]`;
  (form.querySelector<HTMLElement>(inRow) ?? form.querySelector<HTMLElement>(button))?.focus();
}
