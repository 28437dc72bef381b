/**
 * Clients of many languages write the same field in many ways: numbers as text, lists as objects with `values`, times
 * as seconds or as dates. These readers accept what they understand and drop the rest.
 */

export type JsonObject = { readonly [key: string]: unknown };

/** Result of reading a payload: the value, or a sentence about why it is unreadable. */
export type Reading<T> = { kind: "read"; value: T } | { kind: "unreadable"; why: string };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object, or an empty one: for optional parts whose fields are read one by one. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/**
 * Returns the text of any scalar, cut to a length, without NUL and lone surrogates, which stores and screens cannot
 * handle.
 */
export function textOf(value: unknown, maxLength: number): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return undefined;
  // Almost every text: nothing to change, and nothing to copy.
  if (value.length <= maxLength && value.isWellFormed() && !value.includes("\0")) return value;
  const cut = value.length > maxLength ? `${value.slice(0, maxLength - 1)}…` : value;
  return cut.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** As `textOf`, but empty text counts as absent. */
export function nonEmptyText(value: unknown, maxLength: number): string | undefined {
  const text = textOf(value, maxLength)?.trim();
  return text === "" ? undefined : text;
}

export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

export function countOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number >= 0 ? Math.min(Math.trunc(number), Number.MAX_SAFE_INTEGER) : undefined;
}

export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === "true") return true;
  if (value === "false") return false;
  return undefined;
}

const yearMs = 31_557_600_000;
/** Times outside 1970 to 2200 come from broken clocks or other units, and would break sorting. */
const latestMs = 230 * yearMs;

/** Reads seconds (number or numeric text) or an ISO date as milliseconds since 1970; a date without a zone is UTC. */
export function timeOf(value: unknown): number | undefined {
  const seconds = numberOf(value);
  const ms = seconds !== undefined ? seconds * 1000 : typeof value === "string" ? dateMs(value) : undefined;
  return ms !== undefined && ms >= 0 && ms < latestMs ? ms : undefined;
}

function dateMs(text: string): number | undefined {
  // Most clients end with a Z, which is fast to check; the pattern restarts at every character.
  const hasZone = text.endsWith("Z") || /(?:[zZ]|[+-]\d\d:?\d\d)$/.test(text);
  const ms = Date.parse(hasZone || !text.includes(":") ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns a list itself, the `values` of an object that wraps one, or a single object as a list of one. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Array.isArray(value.values) ? value.values : [value];
}

/**
 * Reads texts by name from an object or a list of pairs, in order. Several values of one name, as in headers, become
 * one text.
 */
export function textsByName(value: unknown, maxEntries: number, maxLength: number): Readonly<Record<string, string>> {
  const pairs: readonly (readonly [unknown, unknown])[] = Array.isArray(value)
    ? value.map((pair) =>
        Array.isArray(pair) ? [pair[0], pair[1]] : isObject(pair) ? [pair.key, pair.value] : [undefined, undefined],
      )
    : Object.entries(objectOf(value));
  const texts: [string, string][] = [];
  for (const [name, entry] of pairs) {
    if (texts.length === maxEntries) break;
    const key = nonEmptyText(name, maxLength);
    const text = textOf(Array.isArray(entry) ? entry.filter(isScalar).join(", ") : entry, maxLength);
    if (key !== undefined && text !== undefined) texts.push([key, text]);
  }
  // fromEntries defines own properties, so that a key named __proto__ stays a key.
  return Object.fromEntries(texts);
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Returns the entries of an object whose values are objects. */
export function objectsByName(value: unknown): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(objectOf(value)).filter((entry): entry is [string, JsonObject] => isObject(entry[1])),
  );
}

/** Copies fields without those that are undefined, as exact optional properties require. */
export function present<T extends object>(
  fields: T,
): { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
} {
  // A plain loop: this runs for every frame of every event.
  const kept: Record<string, unknown> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  // The compiler cannot follow the loop; the type above describes its result.
  return kept as ReturnType<typeof present<T>>;
}
