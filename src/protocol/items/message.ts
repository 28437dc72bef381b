import type { ProtocolLimits } from "../limits.ts";
import { isObject, type JsonObject, nonEmptyText, objectOf, present, textOf } from "../loose-values.ts";

export interface EventMessage {
  /** Text for people. */
  readonly text: string;
  /** The text before its parameters were filled in; equal for all occurrences. */
  readonly template?: string;
  readonly params?: readonly string[];
}

export function eventMessageOf(value: JsonObject, limits: ProtocolLimits): EventMessage | undefined {
  const entry = value.logentry ?? value["sentry.interfaces.Message"] ?? value.message;
  if (!isObject(entry)) {
    const text = nonEmptyText(entry, limits.longText);
    return text === undefined ? undefined : { text };
  }
  const template = nonEmptyText(entry.message, limits.longText);
  const params = paramsOf(entry.params, limits);
  const text =
    nonEmptyText(entry.formatted, limits.longText) ??
    (template === undefined ? undefined : filledIn(template, params).slice(0, limits.longText)) ??
    nonEmptyText(value.message, limits.longText);
  if (text === undefined) return undefined;
  const values = Object.values(params);
  return present({ text, template, params: values.length === 0 ? undefined : values });
}

/** Returns the values of a template by name, those of a list by index. A value that is no text keeps its index. */
function paramsOf(value: unknown, limits: ProtocolLimits): Readonly<Record<string, string>> {
  const values = Object.entries(Array.isArray(value) ? value : objectOf(value)).slice(0, limits.tags);
  return Object.fromEntries(values.map(([name, param]) => [name, textOf(param, limits.shortText) ?? ""]));
}

/**
 * Clients such as Python's let the service fill in a template: `%s` and `{}` are the next value, `%(name)s`, `{name}`
 * and `{0}` a named one. Placeholders without a value stay unchanged.
 */
function filledIn(template: string, params: Readonly<Record<string, string>>): string {
  const inOrder = Object.values(params);
  let next = 0;
  return template.replace(
    /%(?:\((\w{1,100})\))?[sdifr]|\{(\w{0,100})\}/g,
    (placeholder, printed: string | undefined, braced: string | undefined) => {
      const name = printed ?? braced ?? "";
      if (name === "") return inOrder[next++] ?? placeholder;
      return Object.hasOwn(params, name) ? (params[name] ?? placeholder) : placeholder;
    },
  );
}
