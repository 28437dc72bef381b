import type { ReportingLimits } from "./limits.ts";
import { readStack } from "./read-stack.ts";
import type { WireException, WireMechanism } from "./wire.ts";
import { writeValue } from "./write-value.ts";

export interface Described {
  /** Causes first, what was thrown last, as the protocol wants it. */
  exceptions: WireException[];
  /** What a thrown thing that is no error consists of. */
  serialized?: unknown;
}

/** Says what was thrown. Anything can be: `null`, a text, a frozen object, one whose properties throw. */
export function describeThrown(
  thrown: unknown,
  mechanism: Pick<WireMechanism, "type" | "handled">,
  limits: ReportingLimits,
): Described {
  if (!isError(thrown)) return describeOther(thrown, mechanism, limits);
  const exceptions: WireException[] = [];
  const chain: Link[] = [{ error: thrown, mechanism: { ...mechanism } }];
  const seen = new Set<unknown>();
  for (let link = chain.shift(); link && exceptions.length <= limits.causes; link = chain.shift()) {
    if (seen.has(link.error)) continue;
    seen.add(link.error);
    const id = exceptions.length;
    chain.push(...causesOf(link.error, id, mechanism.handled));
    // A single error needs no number.
    if (id > 0 || chain.length > 0) link.mechanism.exception_id = id;
    if (isGroup(link.error)) link.mechanism.is_exception_group = true;
    exceptions.push(describeError(link, limits));
  }
  return { exceptions: exceptions.reverse() };
}

interface Link {
  error: object;
  mechanism: WireMechanism;
}

function describeError({ error, mechanism }: Link, limits: ReportingLimits): WireException {
  const frames = readStack(textAt(error, "stack"), limits.frames);
  const value = textAt(error, "message").slice(0, limits.textLength);
  const type = textAt(error, "name") || "Error";
  return { type, value, mechanism, ...(frames.length > 0 && { stacktrace: { frames } }) };
}

function causesOf(error: object, parentId: number, handled: boolean): Link[] {
  const link = (from: unknown, source: string): Link[] =>
    isError(from) ? [{ error: from, mechanism: { type: "chained", handled, source, parent_id: parentId } }] : [];
  const several = valueAt(error, "errors");
  return [
    ...link(valueAt(error, "cause"), "cause"),
    ...(Array.isArray(several) ? several.flatMap((one, index) => link(one, `errors[${index}]`)) : []),
  ];
}

function isGroup(error: object): boolean {
  return Array.isArray(valueAt(error, "errors"));
}

function describeOther(
  thrown: unknown,
  mechanism: Pick<WireMechanism, "type" | "handled">,
  limits: ReportingLimits,
): Described {
  const exception = (value: string): WireException => ({
    type: "Error",
    value: value.slice(0, limits.textLength),
    mechanism: { ...mechanism, synthetic: true },
  });
  if (typeof thrown !== "object" || thrown === null) return { exceptions: [exception(safeText(thrown))] };
  const serialized = writeValue(thrown, limits);
  const keys = typeof serialized === "object" && serialized !== null ? Object.keys(serialized).slice(0, 10) : [];
  const what = keys.length > 0 ? `keys: ${keys.join(", ")}` : "no keys";
  return { exceptions: [exception(`Object captured as exception with ${what}`)], serialized };
}

/** Errors of another realm (a worker, a frame) are no instances of ours. */
function isError(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  try {
    return (
      value instanceof Error || Object.prototype.toString.call(value) === "[object Error]" || isDomException(value)
    );
  } catch {
    // A proxy that throws at being looked at is no error we can read.
    return false;
  }
}

function isDomException(value: object): boolean {
  return Object.prototype.toString.call(value) === "[object DOMException]";
}

function valueAt(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    // A getter that throws: as if it were not there.
    return undefined;
  }
}

function textAt(value: object, key: string): string {
  return safeText(valueAt(value, key) ?? "");
}

function safeText(value: unknown): string {
  try {
    return String(value);
  } catch {
    // An object that cannot be made a text; that much can be said.
    return "[unreadable]";
  }
}
