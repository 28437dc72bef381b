import { invalid } from "holdfast/server";

/** What a form of the console posts; anything else was not sent by one. */
export function formOf(input: unknown): FormData {
  return input instanceof FormData ? input : invalid({ "": "This was not sent by a form of the console." });
}

/** A field as text, without the blanks around it; empty where it is missing. */
export function textIn(form: FormData, name: string, longest = 4_000): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim().slice(0, longest) : "";
}

/** As it was typed: blanks count. */
export function passwordIn(form: FormData): string {
  const password = form.get("password");
  return typeof password === "string" ? password : "";
}

// As many as a list shows at once.
const mostNumbers = 200;

export function numbersIn(form: FormData, name: string): number[] {
  return form
    .getAll(name)
    .slice(0, mostNumbers)
    .map(Number)
    .filter((number) => Number.isSafeInteger(number) && number > 0);
}
