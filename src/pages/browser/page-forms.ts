import { slotField } from "../page-data.ts";
import { slotName } from "../react/slots.ts";

/** The forms of an action, in document order. */
export function formsAt(path: string): HTMLFormElement[] {
  return [...document.forms].filter((form) => pathOf(form) === path);
}

/** Reads the attribute: a field of any name may shadow the form's properties. */
export function pathOf(form: HTMLFormElement): string {
  return new URL(form.getAttribute("action") ?? "", location.href).pathname;
}

/** The name of the form's slot; undefined for a form without one, which the application wrote itself. */
export function formNameOf(form: HTMLFormElement): string | undefined {
  const field = form.querySelector<HTMLInputElement>(`[name=${slotField}]`);
  return field ? slotName(pathOf(form), field.value) : undefined;
}

/**
 * Resets a form, unless it opts out by `data-keep-text`. Selects keep their choice: React does not write a new default
 * into them, and an older one would be wrong.
 */
export function empty(form: HTMLFormElement): void {
  if ("keepText" in form.dataset) return;
  const options = [...form.querySelectorAll("option")].map((option) => [option, option.selected] as const);
  HTMLFormElement.prototype.reset.call(form);
  for (const [option, selected] of options) option.selected = selected;
}
