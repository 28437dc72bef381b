import { fieldOfPath, readFormFields } from "./field-names.ts";
import { emptyLists } from "./form-rows.ts";
import { pathOfIssue, type Schema, type SchemaIssue } from "./standard-schema.ts";
import type { FieldErrors } from "./view.ts";

export type Checked = { kind: "valid"; input: unknown } | { kind: "invalid"; issues: readonly SchemaIssue[] };

/**
 * Reads a form and validates it. Names that cannot be read are an issue of the form as a whole. `rows` are the values
 * of its `rowsField`.
 */
export async function checkForm(schema: Schema, form: FormData, rows: readonly string[] = []): Promise<Checked> {
  const read = readFormFields(form, emptyLists(rows));
  if (read.kind === "refused") return { kind: "invalid", issues: [{ message: read.why }] };
  return checkValue(schema, read.fields);
}

export async function checkValue(schema: Schema, value: unknown): Promise<Checked> {
  const result = await schema["~standard"].validate(value);
  return result.issues ? { kind: "invalid", issues: result.issues } : { kind: "valid", input: result.value };
}

/** Messages by field, and those of the form as a whole. `isSent` says whether the form has a field of that name. */
export function messagesByField(
  issues: readonly SchemaIssue[],
  isSent: (name: string) => boolean,
): { fields: FieldErrors; form: readonly string[] } {
  const fields = new Map<string, string[]>();
  const form: string[] = [];
  for (const issue of issues) {
    const field = fieldOfPath(pathOfIssue(issue), isSent);
    if (field === "" || field === "__proto__") form.push(issue.message);
    else fields.set(field, [...(fields.get(field) ?? []), issue.message]);
  }
  return { fields: Object.fromEntries(fields), form };
}
