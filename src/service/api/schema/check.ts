import { isObject } from "#protocol";
import type { ApiSchema, JsonSchema } from "./schema.ts";

export type CheckedValue<T> =
  | { readonly kind: "valid"; readonly value: T }
  /** `path` is a JSON Pointer to the problem. It is empty for the whole value. */
  | { readonly kind: "invalid"; readonly path: string; readonly why: string };

interface Problem {
  readonly path: string;
  readonly why: string;
}

/** Checks an unknown value. Properties that the schema does not name are refused: they are probably typing errors. */
export function checkBySchema<T>(schema: ApiSchema<T>, value: unknown): CheckedValue<T> {
  const problem = problemOf(schema, value, "");
  // The schema is the type: `problemOf` has compared each of its parts with the value.
  return problem === undefined ? { kind: "valid", value: value as T } : { kind: "invalid", ...problem };
}

function problemOf(schema: JsonSchema, value: unknown, path: string): Problem | undefined {
  if (schema.anyOf) return problemOfUnion(schema.anyOf, value, path);
  switch (schema.type) {
    case "string":
      return at(path, problemOfText(schema, value));
    case "integer":
    case "number":
      return at(path, problemOfNumber(schema, value));
    case "boolean":
      return at(path, typeof value === "boolean" ? undefined : "It must be true or false.");
    case "null":
      return at(path, value === null ? undefined : "It must be null.");
    case "array":
      return problemOfList(schema, value, path);
    case "object":
      return problemOfObject(schema, value, path);
    case undefined:
      return undefined;
  }
}

function at(path: string, why: string | undefined): Problem | undefined {
  return why === undefined ? undefined : { path, why };
}

/** Options that differ in a constant, such as `kind`, are distinguished by it: the problem is that of one option. */
function problemOfUnion(options: readonly JsonSchema[], value: unknown, path: string): Problem | undefined {
  const problems = options.map((option) => problemOf(option, value, path));
  if (problems.includes(undefined)) return undefined;
  const meant = options.findIndex((option) => isMeant(option, value));
  if (meant >= 0) return problems[meant];
  const words = options.flatMap((option) => constantsOf(option));
  if (words.length === 0) return { path, why: "It has none of the allowed forms." };
  const [name] = words[0] ?? [""];
  const known = [...new Set(words.filter(([of]) => of === name).map(([, word]) => word))];
  if (!isObject(value)) return { path, why: `It must be an object whose ${name} is one of ${known.join(", ")}.` };
  return { path: `${path}/${name}`, why: `It must be one of ${known.join(", ")}.` };
}

function isMeant(option: JsonSchema, value: unknown): boolean {
  const constants = constantsOf(option);
  return isObject(value) && constants.length > 0 && constants.every(([name, word]) => value[name] === word);
}

function constantsOf({ properties = {} }: JsonSchema): (readonly [name: string, word: string])[] {
  return Object.entries(properties).flatMap(([name, { const: word }]) => (word === undefined ? [] : [[name, word]]));
}

function problemOfText(schema: JsonSchema, value: unknown): string | undefined {
  if (typeof value !== "string") return "It must be a text.";
  if (schema.const !== undefined && value !== schema.const) return `It must be ${schema.const}.`;
  if (schema.enum && !schema.enum.includes(value)) return `It must be one of ${schema.enum.join(", ")}.`;
  if (value.length < (schema.minLength ?? 0)) return value === "" ? "It is empty." : "It is too short.";
  if (value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY))
    return `It has more than ${schema.maxLength} characters.`;
  if (!value.isWellFormed() || value.includes("\0")) return "It has characters that no text has.";
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value))
    return `It does not match ${schema.pattern}.`;
  return undefined;
}

function problemOfNumber({ type, minimum, maximum }: JsonSchema, value: unknown): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "It must be a number.";
  if (type === "integer" && !Number.isSafeInteger(value)) return "It must be a whole number.";
  if (minimum !== undefined && value < minimum) return `It must be at least ${minimum}.`;
  if (maximum !== undefined && value > maximum) return `It must be at most ${maximum}.`;
  return undefined;
}

function problemOfList(schema: JsonSchema, value: unknown, path: string): Problem | undefined {
  if (!Array.isArray(value)) return { path, why: "It must be a list." };
  if (value.length < (schema.minItems ?? 0)) return { path, why: `It needs at least ${schema.minItems} entries.` };
  if (value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY))
    return { path, why: `It may have ${schema.maxItems} entries.` };
  for (const [index, item] of value.entries()) {
    const problem = problemOf(schema.items ?? {}, item, `${path}/${index}`);
    if (problem) return problem;
  }
  return undefined;
}

function problemOfObject(schema: JsonSchema, value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, why: "It must be an object." };
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required.find((name) => value[name] === undefined);
  if (missing !== undefined) return { path: `${path}/${pointer(missing)}`, why: "It is missing." };
  for (const [name, item] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    const place = `${path}/${pointer(name)}`;
    if (known === false || known === undefined) return { path: place, why: "There is no such property." };
    const problem = item === undefined ? undefined : problemOf(known, item, place);
    if (problem) return problem;
  }
  return undefined;
}

/** One name in a JSON Pointer (RFC 6901). */
function pointer(name: string): string {
  return name.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1");
}
