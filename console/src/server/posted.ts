import { invalid } from "holdfast/server";

/** Returns the form of a request. Any other input was not sent by the console. */
export function formOf(input: unknown): FormData {
  return input instanceof FormData ? input : invalid({ "": "This was not sent by a form of the console." });
}

/** Returns a field as trimmed text. Empty if it is missing. */
export function textIn(form: FormData, name: string, longest = 4_000): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim().slice(0, longest) : "";
}

/** Not trimmed: spaces count. */
export function passwordIn(form: FormData, name = "password"): string {
  const password = form.get(name);
  return typeof password === "string" ? password : "";
}

// Rows of a list.
const mostNumbers = 200;

export function numbersIn(form: FormData, name: string): number[] {
  return wholeNumbers(form.getAll(name));
}

export function wholeNumbers(values: readonly unknown[]): number[] {
  return values
    .slice(0, mostNumbers)
    .map(Number)
    .filter((number) => Number.isSafeInteger(number) && number > 0);
}
