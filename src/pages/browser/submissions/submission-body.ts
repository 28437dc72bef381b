import { attemptField, fromField, keyField, slotField, visitorField } from "../../page-data.ts";
import type { Press } from "../../react/browser-runtime.ts";

/** The framework's own fields of a submission. */
export interface SubmissionName {
  slot: string;
  key: string;
  attempt: number;
}

/** Copies the form and adds the framework's fields. */
export function bodyOf({ form, from }: Pick<Press, "form" | "from">, { slot, key, attempt }: SubmissionName): FormData {
  const body = new FormData();
  for (const [name, value] of form) body.append(name, value);
  body.delete(fromField);
  if (from) body.set(fromField, from);
  body.set(slotField, slot);
  body.set(keyField, key);
  body.set(attemptField, `${attempt}`);
  return body;
}

/** Serializes a form for comparison: two forms with the same text are the same. */
export function bodyText(form: FormData): string {
  const own: readonly string[] = [slotField, keyField, attemptField, visitorField, fromField];
  const entries = [...form].filter(([name]) => !own.includes(name));
  return JSON.stringify(
    entries.map(([name, value]) =>
      typeof value === "string" ? [name, value] : [name, value.name, value.size, value.lastModified],
    ),
  );
}

/** Approximate multipart overhead per field. */
const bytesAround = 150;

/** Estimates the size of the request body. */
export function bodyBytes(form: FormData): number {
  return [...form].reduce(
    (sum, [name, value]) =>
      sum + bytesAround + name.length + (typeof value === "string" ? new Blob([value]).size : value.size),
    0,
  );
}

/** 128 random bits. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .slice(0, 22);
}
