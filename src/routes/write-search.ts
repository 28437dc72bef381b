/**
 * The one form of a search in an address. `read-search.ts` reads it back.
 *
 *   q=boots                    text            page=2, open=true          number, boolean
 *   tag=a&tag=b                list            from=2026-01-01            date, with its time unless that is 0:00 UTC
 *   price.min=3                nested value    lines.0.sku=a              list of nested values
 *
 * `undefined` and `null` are left out.
 */
export function writeSearch(search: object): string {
  const text = String(search instanceof URLSearchParams ? search : new URLSearchParams(listPairs(search, "")));
  return text && `?${text}`;
}

/**
 * Levels of a nested value. A filter has two or three; deeper ones are left out by the writer and refused by the
 * reader.
 */
export const searchDepth = 8;

function listPairs(value: unknown, key: string): string[][] {
  // `null` for an invalid date.
  const plain: unknown = value instanceof Date ? value.toJSON()?.replace("T00:00:00.000Z", "") : value;
  if (plain == null || key.split(".").length > searchDepth) return [];
  if (typeof plain !== "object") return [[key, String(plain)]];
  return Object.entries(plain).flatMap(([name, one]) => {
    const isItem = Array.isArray(plain) && (typeof one !== "object" || one instanceof Date);
    return listPairs(one, isItem ? key : key ? `${key}.${name}` : name);
  });
}

/** For each key of a search its text in an address. */
export type WrittenDefaults = Readonly<Record<string, string>>;

export function writeDefaults(search: object): WrittenDefaults {
  return Object.fromEntries(Object.entries(search).map(([key, value]) => [key, writeSearch({ [key]: value })]));
}

/**
 * Leaves out what an address means anyway. A key is left out as a whole, because a schema may need all of a nested
 * value. An empty list stays, as an empty text, where the default has something in it.
 */
export function withoutDefaults(search: object, defaults: WrittenDefaults): Record<string, unknown> {
  const short: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(search)) {
    const text = writeSearch({ [key]: value });
    if (text !== defaults[key]) short[key] = !text && value && defaults[key] ? "" : value;
  }
  return short;
}

/** What `href`, `Link` and pages need for searches with a schema. */
export interface TypedSearches {
  write(search: object): string;
  withoutDefaults(search: object, defaults: WrittenDefaults): object;
}

export const writtenSearches: TypedSearches = { write: writeSearch, withoutDefaults };
