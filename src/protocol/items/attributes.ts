import { isObject, objectOf, textOf } from "../loose-values.ts";

export type AttributeValue = string | number | boolean | readonly (string | number | boolean)[];
export type AttributeMap = Readonly<Record<string, AttributeValue>>;

/** More attributes on one span or log line come from a runaway loop. */
const attributesAtMost = 256;

/** Reads the attributes of spans, logs and metrics: `{ name: { value, type } }`, or plain values in older spans. */
export function readAttributes(value: unknown, maxText: number): AttributeMap {
  const attributes: [string, AttributeValue][] = [];
  for (const [name, entry] of Object.entries(objectOf(value))) {
    if (attributes.length === attributesAtMost) break;
    const read = attributeValue(isObject(entry) && "value" in entry ? entry.value : entry, maxText);
    if (read !== undefined) attributes.push([name, read]);
  }
  return Object.fromEntries(attributes);
}

function attributeValue(value: unknown, maxText: number): AttributeValue | undefined {
  if (Array.isArray(value)) return value.map((entry) => scalar(entry, maxText)).filter((entry) => entry !== undefined);
  if (isObject(value)) return textOf(JSON.stringify(value), maxText);
  return scalar(value, maxText);
}

function scalar(value: unknown, maxText: number): string | number | boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return textOf(value, maxText);
}

export function textAttribute(attributes: AttributeMap, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
