import { flushSync } from "react-dom";
import { type Checked, checkForm, messagesByField } from "../../check-fields.ts";
import { fromField, keyField, rowsField, slotField } from "../../page-data.ts";
import type { FormEnd } from "../../react/slots.ts";
import type { LazySchema } from "../../standard-schema.ts";
import type { SubmissionOutcome } from "../../view.ts";
import type { ExtrasPage, PressedForm } from "./extras-page.ts";
import { typedIn } from "./typed-in.ts";

type Refusal = Extract<SubmissionOutcome, { kind: "invalid" }>;

/** Counts the presses of each form, and its checks after a change: of several at once, only the last one decides. */
const presses = new WeakMap<HTMLFormElement, number>();
const changes = new WeakMap<HTMLFormElement, number>();
/** Refusals by a schema in this document. Those of the server have messages that no schema knows. */
const ownRefusals = new WeakSet<FormEnd>();

/**
 * Whether a form may be sent. What its schema refuses is shown as the server's refusal would be. A schema that throws
 * decides nothing: the server checks the form in any case.
 */
export async function mayBeSent(pressed: PressedForm, check: LazySchema, page: ExtrasPage): Promise<boolean> {
  const { element, name, form } = pressed;
  const { outcomes } = page;
  if (!presses.has(element))
    element.addEventListener("input", ({ target }) => void checkAgain(pressed, target as HTMLInputElement, page));
  const isLast = countIn(presses, element);
  const result = await resultOf(check, form);
  if (!isLast()) return false;
  if (result?.kind !== "invalid") return true;
  const refusal = refusalOf(result, element, page);
  ownRefusals.add(refusal);
  outcomes?.set(name, refusal);
  flushSync(() => page.tick());
  element.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  return false;
}

/** After the first attempt messages follow what is typed, until the form was sent with success. */
async function checkAgain({ element, name }: PressedForm, field: HTMLInputElement, page: ExtrasPage): Promise<void> {
  const { outcomes } = page;
  const check = page.slots.checks.get(name);
  const before = outcomes?.get(name);
  if (!check || (before?.kind !== "invalid" && before?.kind !== "edited")) return;
  const isLast = countIn(changes, element);
  const result = await resultOf(check, new FormData(element));
  if (!result || !isLast() || outcomes?.get(name) !== before) return;
  const refusal = refusalOf(result, element, page);
  const isOwn = before.kind === "edited" || ownRefusals.has(before);
  const shown = isOwn ? refusal : withOthers(refusal, before, field.name);
  if (isOwn) ownRefusals.add(shown);
  const isEmpty = Object.keys(shown.fields).length + shown.form.length === 0;
  outcomes?.set(name, isEmpty ? { kind: "edited", values: shown.values } : shown);
  page.tick();
}

function countIn(counts: WeakMap<HTMLFormElement, number>, element: HTMLFormElement): () => boolean {
  const count = (counts.get(element) ?? 0) + 1;
  counts.set(element, count);
  return () => counts.get(element) === count;
}

const own: readonly string[] = [slotField, keyField, fromField, rowsField];

/** Undefined if the schema throws or does not load, which is reported. */
async function resultOf(check: LazySchema, form: FormData): Promise<Checked | undefined> {
  try {
    const schema = "~standard" in check ? check : await check();
    const fields = new FormData();
    for (const [name, value] of form) if (!own.includes(name)) fields.append(name, value);
    return await checkForm(schema, fields, form.getAll(rowsField).map(String));
  } catch (error) {
    reportError(error);
    return undefined;
  }
}

function refusalOf(result: Checked, element: HTMLFormElement, page: ExtrasPage): Refusal {
  const form = new FormData(element);
  const issues = result.kind === "invalid" ? result.issues : [];
  return {
    kind: "invalid",
    ...messagesByField(issues, (name) => form.has(name)),
    values: typedIn(element, form, page),
  };
}

/** Messages of the server stay until their field changes, or one of their object or row. */
function withOthers(refusal: Refusal, before: Refusal, changed: string): Refusal {
  const isAbout = (name: string): boolean => name === changed.replace(/\[]$/, "") || changed.startsWith(`${name}.`);
  const others = Object.entries(before.fields).filter(([name]) => !isAbout(name));
  return { ...refusal, fields: { ...Object.fromEntries(others), ...refusal.fields }, form: before.form };
}
