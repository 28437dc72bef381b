import type { Press } from "../../react/browser-runtime.ts";
import type { Posted } from "../../react/slots.ts";
import { mayBeSent } from "./check-form.ts";
import { editRows } from "./edit-rows.ts";
import type { ExtrasPage } from "./extras-page.ts";

export { watchForms } from "./watch-forms.ts";

/** A form was pressed. It is sent, unless its rows change or its schema refuses it. */
export async function pressForm(press: Press, page: ExtrasPage): Promise<Posted> {
  const { element, form, submitter } = press;
  const name = element && page.nameOf(element);
  if (!element || name === undefined) return page.send(press);
  const pressed = { element, form, name };
  if (editRows(pressed, submitter, page)) return { kind: "discarded" };
  const check = page.slots.checks.get(name);
  return !check || (await mayBeSent(pressed, check, page)) ? page.send(press) : { kind: "discarded" };
}
