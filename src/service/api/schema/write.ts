import { isObject } from "#protocol";
import type { JsonSchema } from "./schema.ts";

/**
 * Writes a response by its schema. Properties that the schema does not name stay inside, so that a new column of a
 * record reaches clients only on purpose.
 */
export function writeBody(schema: JsonSchema, value: unknown): string {
  return JSON.stringify(chosen(schema, value));
}

function chosen(schema: JsonSchema, value: unknown): unknown {
  if (schema.anyOf) return chosen(schema.anyOf.find((option) => isOption(option, value)) ?? {}, value);
  if (schema.type === "array" && schema.items && Array.isArray(value)) {
    const { items } = schema;
    return value.map((item) => chosen(items, item));
  }
  if (schema.type !== "object" || !isObject(value)) return value;
  const { properties = {}, additionalProperties } = schema;
  const entries = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return known === false || known === undefined || item === undefined ? [] : [[name, chosen(known, item)]];
  });
  return Object.fromEntries(entries);
}

/** Options of a union differ in the type of the value, or in a constant property. */
function isOption(option: JsonSchema, value: unknown): boolean {
  if (option.anyOf) return option.anyOf.some((one) => isOption(one, value));
  switch (option.type) {
    case "object":
      return (
        isObject(value) &&
        Object.entries(option.properties ?? {}).every(
          ([name, { const: word }]) => word === undefined || value[name] === word,
        )
      );
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
    case "number":
      return typeof value === "number";
    case "string":
      return typeof value === "string" && (option.const === undefined || option.const === value);
    case "boolean":
      return typeof value === "boolean";
    default:
      return true;
  }
}
