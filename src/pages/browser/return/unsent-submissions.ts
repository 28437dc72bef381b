import { attemptField, keyField, slotField, visitorField } from "../../page-data.ts";
import type { Posted } from "../../react/slots.ts";
import type { Sent } from "../submissions/sent-submission.ts";
import type { ReturnPage } from "./return-page.ts";
import { returnStore, type UnsentSubmission } from "./return-store.ts";

const hourMs = 3_600_000;
const ownNames: readonly string[] = [slotField, keyField, attemptField, visitorField];

/** Stores a submission when it is sent, and removes it when its outcome is known. */
export function noteSubmission(page: ReturnPage, sent: Sent, outcome?: Posted): void {
  const { key, attempt, isResumed } = sent;
  const before = returnStore.find(key);
  // What came of one that an earlier visit has sent is shown by `come-back.ts`, which then removes it.
  if (outcome) return isResumed ? undefined : returnStore.drop(key);
  sent.isStored = returnStore.put(before ? { ...before, attempt } : unsentOf(page, sent));
  // No other tab sends it while this one waits. A tab that is closed or crashes gives it free.
  if (!isResumed && sent.isStored) void navigator.locks?.request(lockOf(key), () => sent.promise);
}

export function lockOf(key: string): string {
  return `holdfast-submission-${key}`;
}

function unsentOf(page: ReturnPage, sent: Sent): UnsentSubmission {
  const { name, nth, slot, address, entry, key, attempt, pressedAt, isEdited, press, keeps } = sent;
  const fields: [string, string | null][] = [];
  let isPartial = false;
  for (const [field, value] of press.form) {
    if (ownNames.includes(field)) continue;
    if (typeof value !== "string") {
      if (value.size > 0 || value.name !== "") isPartial = true;
      else fields.push([field, null]);
    } else if (value !== "" && isSecret(page, field, press.element)) isPartial = true;
    else fields.push([field, value]);
  }
  return {
    ...{ name, nth, slot, address, entry, key, attempt, pressedAt, isEdited, fields, isPartial },
    page: page.url,
    ...(keeps?.visitor !== undefined && { visitor: keeps.visitor }),
    until: keeps?.visitor === undefined ? 0 : pressedAt + keeps.hours * hourMs,
    draft: page.drafts.here().find((draft) => draft.name === name)?.fields ?? [],
  };
}

/** Types of fields into which visitors do not type: a draft has none of them, but the action needs them. */
const untyped = /^(?:hidden|submit|image)$/;

/** Whether what is sent under a name must not be stored. */
function isSecret({ drafts }: ReturnPage, name: string, form: HTMLFormElement | undefined): boolean {
  const fields = form?.querySelectorAll<HTMLInputElement>(`[name="${CSS.escape(name)}"]`) ?? [];
  // A field that has nothing but the name is judged by it.
  const named = Object.assign(document.createElement("input"), { name });
  return [named, ...fields].some((field) =>
    untyped.test(field.type) ? field.closest("[data-no-draft]") : !drafts.isStorable(field),
  );
}

/** What was sent, once more, with the stamp of the visitor who sent it. */
export function formOf({ fields, visitor }: UnsentSubmission): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value ?? new File([], "", { type: emptyFileType }));
  if (visitor !== undefined) form.set(visitorField, visitor);
  return form;
}

/** As browsers send a field for a file that is empty. */
const emptyFileType = "application/octet-stream";
