import { slotField } from "../page-data.ts";
import { slotName } from "../react/slots.ts";

/** The forms of an action, in the order of the page. */
export function formsAt(path: string): HTMLFormElement[] {
  return [...document.forms].filter((form) => pathOf(form) === path);
}

/** Its fields may have any name, so its properties are not asked. */
export function pathOf(form: HTMLFormElement): string {
  return new URL(form.getAttribute("action") ?? "", location.href).pathname;
}

/** The name of its slot; undefined for a form that the application has written itself. */
export function formNameOf(form: HTMLFormElement): string | undefined {
  const field = form.querySelector<HTMLInputElement>(`[name=${slotField}]`);
  return field ? slotName(pathOf(form), field.value) : undefined;
}

/**
 * Unless it keeps its text by choice. Lists stay at what was chosen: React does not write another default into them,
 * and an older one would be wrong.
 */
export function empty(form: HTMLFormElement): void {
  if ("keepText" in form.dataset) return;
  const chosen = [...form.querySelectorAll("option")].filter(({ selected }) => selected);
  HTMLFormElement.prototype.reset.call(form);
  for (const option of chosen) option.selected = true;
}
