import type { ClientLimits } from "../client-limits.ts";
import type { WireException, WireMechanism } from "../wire.ts";
import { readStack } from "./read-stack.ts";
import { writeValue } from "./write-value.ts";

export interface Described {
  /** Causes first, the thrown error last, as the protocol requires. */
  exceptions: WireException[];
  /** Content of a thrown value that is no error. */
  serialized?: unknown;
}

/**
 * Describes a thrown value. It can be anything: `null`, a text, a frozen object, one whose properties throw.
 * `describeObject` may return a better description of an object than the names of its keys.
 */
export function describeThrown(
  thrown: unknown,
  mechanism: Pick<WireMechanism, "type" | "handled" | "synthetic">,
  limits: ClientLimits,
  describeObject?: (thrown: object) => string | undefined,
): Described {
  if (!isError(thrown)) return describeOther(thrown, mechanism, limits, describeObject);
  const exceptions: WireException[] = [];
  const chain: Link[] = [{ error: thrown, mechanism: { ...mechanism } }];
  const seen = new Set<unknown>();
  for (let link = chain.shift(); link && exceptions.length <= limits.causes; link = chain.shift()) {
    if (seen.has(link.error)) continue;
    seen.add(link.error);
    const id = exceptions.length;
    chain.push(...causesOf(link.error, id, mechanism.handled, limits.causes));
    // A single error needs no id.
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

function describeError({ error, mechanism }: Link, limits: ClientLimits): WireException {
  const message = textAt(error, "message");
  const frames = readStack(withoutMessage(textAt(error, "stack"), message), limits.frames);
  const value = message.slice(0, limits.textLength);
  const type = textAt(error, "name").slice(0, 200) || "Error";
  return { type, value, mechanism, ...(frames.length > 0 && { stacktrace: { frames } }) };
}

/** Enough for fifty calls with long names; an application may put megabytes into a stack. */
const stackChars = 65_536;

/** A stack starts with its message, which may contain a visitor's input that looks like calls. */
function withoutMessage(stack: string, message: string): string {
  const [name = ""] = stack.split(`: ${message}\n`, 1);
  const isThere = name.length < 300 && name.length < stack.length;
  return stack.slice(isThere ? name.length + message.length + 2 : 0).slice(0, stackChars);
}

function causesOf(error: object, parentId: number, handled: boolean, atMost: number): Link[] {
  const link = (from: unknown, source: string): Link[] =>
    isError(from) ? [{ error: from, mechanism: { type: "chained", handled, source, parent_id: parentId } }] : [];
  const several = valueAt(error, "errors");
  return [
    ...link(valueAt(error, "cause"), "cause"),
    ...(Array.isArray(several) ? several.slice(0, atMost).flatMap((one, index) => link(one, `errors[${index}]`)) : []),
  ];
}

function isGroup(error: object): boolean {
  return Array.isArray(valueAt(error, "errors"));
}

function describeOther(
  thrown: unknown,
  mechanism: Pick<WireMechanism, "type" | "handled" | "synthetic">,
  limits: ClientLimits,
  describeObject: ((thrown: object) => string | undefined) | undefined,
): Described {
  // Uses the wording of the official clients, so that existing rules match.
  const isRejection = mechanism.type.endsWith("onunhandledrejection");
  const exception = (value: string): WireException => ({
    type: isRejection ? "UnhandledRejection" : "Error",
    value: value.slice(0, limits.textLength),
    mechanism: { ...mechanism, synthetic: true },
  });
  if (typeof thrown !== "object" || thrown === null) {
    if (!isRejection) return { exceptions: [exception(safeText(thrown))] };
    return {
      exceptions: [{ ...exception(`Non-Error promise rejection captured with value: ${safeText(thrown)}`), mechanism }],
    };
  }
  const kind = kindOf(thrown);
  const as = isRejection ? "promise rejection" : "exception";
  if (kind.endsWith("Event")) {
    const value = `Event \`${kind}\` (type=${textAt(thrown, "type")}) captured as ${as}`;
    return { exceptions: [{ ...exception(value), type: kind }] };
  }
  if (kind !== "Object") return { exceptions: [{ ...exception(safeText(thrown)), type: "Error" }] };
  const serialized = writeValue(thrown, limits);
  const keys = typeof serialized === "object" && serialized !== null ? Object.keys(serialized) : [];
  // An object that carries an error is described by that error.
  const carried = keys.map((key) => valueAt(thrown, key)).find(isError);
  if (carried) return { ...describeThrown(carried, { ...mechanism, synthetic: true }, limits), serialized };
  const names = keys.sort().join(", ") || "[object has no keys]";
  return {
    exceptions: [exception(describeObject?.(thrown) ?? `Object captured as ${as} with keys: ${names}`)],
    serialized,
  };
}

/** Returns `Object`, `Array`, `ProgressEvent`: the language's own name, across realms. */
function kindOf(thrown: object): string {
  try {
    return Object.prototype.toString.call(thrown).slice(8, -1);
  } catch {
    // A proxy may throw when it is inspected.
    return "Object";
  }
}

/** Errors of another realm (a worker, a frame) are no instances of this realm's class. */
function isError(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  try {
    return (
      value instanceof Error || Object.prototype.toString.call(value) === "[object Error]" || isDomException(value)
    );
  } catch {
    // A proxy that throws when it is inspected cannot be read as an error.
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
    // A getter that throws counts as missing.
    return undefined;
  }
}

export function textAt(value: object, key: string): string {
  return safeText(valueAt(value, key) ?? "");
}

export function safeText(value: unknown): string {
  try {
    return String(value);
  } catch {
    // The object cannot be converted to text.
    return "[unreadable]";
  }
}
