import { type CheckedValue, checkBySchema } from "./check.ts";
import type { ApiSchema, JsonSchema } from "./schema.ts";

/**
 * Reads the search of an address, or the parameters of a path, by a schema. Their values are texts: numbers, `true` and
 * `false` are read, and a list may be repeated or separated by commas.
 */
export function readTexts<T>(schema: ApiSchema<T>, search: URLSearchParams): CheckedValue<T> {
  const { properties = {} } = schema;
  const values: Record<string, unknown> = {};
  for (const name of new Set(search.keys())) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const texts = search.getAll(name);
    if (known === undefined) return { kind: "invalid", path: name.slice(0, 100), why: "There is no such parameter." };
    if (known.type === "array")
      values[name] = texts.flatMap((one) => one.split(",").map((part) => readText(known.items ?? {}, part)));
    else if (texts.length > 1) return { kind: "invalid", path: name, why: "It is given more than once." };
    else values[name] = readText(known, texts[0] ?? "");
  }
  for (const [name, known] of Object.entries(properties))
    if (values[name] === undefined && known.default !== undefined) values[name] = known.default;
  const checked = checkBySchema(schema, values);
  return checked.kind === "valid" ? checked : { ...checked, path: checked.path.slice(1) };
}

/** What is no number stays a text, so that the check says what is wrong. */
function readText({ type }: JsonSchema, given: string): unknown {
  if (type === "boolean") return given === "true" ? true : given === "false" ? false : given;
  if (type !== "integer" && type !== "number") return given;
  return /^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : given;
}
