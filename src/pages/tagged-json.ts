import * as pageErrors from "./errors.ts";

/**
 * The format of page data from server to browser: plain JSON, in which a value that JSON cannot represent is a short
 * array that begins with a tag. It is used in this direction only; the server never decodes it.
 *
 *   ["~d",ms] Date   ["~m",[[key,value]…]] Map   ["~s",[…]] Set   ["~n","12"] bigint   ["~u"] undefined
 *   ["~U",href] URL   ["~e",name,message] Error   ["~N","NaN"] number that JSON lacks   ["~p",id] promise
 *   ["~a",[…]] array that begins like a tag
 */
export interface TaggedLimits {
  dataDepth: number;
  dataBytes: number;
}

/** Assigns a number to a promise inside the data, whose value is sent when it settles. */
export type PromiseKeeper = (promise: PromiseLike<unknown>) => number;

export function writeTagged(value: unknown, limits: TaggedLimits, keepPromise?: PromiseKeeper): string {
  const plain = isPlain(value, limits.dataDepth);
  const text = JSON.stringify(plain ? value : toTagged(value, { limits, keepPromise, root: value, keys: [] }));
  if (text.length > limits.dataBytes) throw pageErrors.dataTooLarge(text.length, limits.dataBytes);
  return text;
}

/**
 * Whether plain JSON can represent the whole value, as is usual. Only checks, so it costs a fraction of `toTagged`,
 * which can tag, copy and locate errors; unknown values go there.
 */
function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      if (value === null) return true;
      if (depth < 0) return false;
      return Array.isArray(value) ? isPlainArray(value, depth - 1) : isPlainObject(value, depth - 1);
    default:
      return false;
  }
}

function isPlainArray(array: readonly unknown[], depth: number): boolean {
  const first = array[0];
  if (typeof first === "string" && first.startsWith("~")) return false;
  for (let index = 0; index < array.length; index++) {
    const item = array[index];
    if (typeof item !== "string" && !isPlain(item, depth)) return false;
  }
  return true;
}

function isPlainObject(object: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return false;
  // Also visits names added to `Object.prototype`. A value there that JSON cannot represent leads to `toTagged`.
  for (const key in object) {
    const value = (object as Record<string, unknown>)[key];
    if (typeof value !== "string" && !isPlain(value, depth)) return false;
  }
  return true;
}

interface Writing {
  limits: TaggedLimits;
  keepPromise: PromiseKeeper | undefined;
  root: unknown;
  /** The keys that lead to the current value; used only in error messages. */
  keys: (string | number)[];
}

/** Returns the value itself if nothing in it needs a tag, so that ordinary data is not copied. */
function toTagged(value: unknown, writing: Writing): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : ["~N", Object.is(value, -0) ? "-0" : String(value)];
    case "undefined":
      return ["~u"];
    case "bigint":
      return ["~n", String(value)];
    case "object":
      if (value === null) return null;
      if (writing.keys.length > writing.limits.dataDepth)
        throw cycleIn(writing.root) ?? pageErrors.dataTooDeep(pathOf(writing), writing.limits.dataDepth);
      return Array.isArray(value) ? arrayToTagged(value, writing) : objectToTagged(value, writing);
    default:
      throw pageErrors.dataNotSendable(
        pathOf(writing),
        `a ${typeof value}`,
        "Return only data from load; keep functions in the page.",
      );
  }
}

function pathOf(writing: Writing): string {
  return writing.keys.reduce<string>((path, key) => path + (typeof key === "number" ? `[${key}]` : `.${key}`), "data");
}

function arrayToTagged(array: readonly unknown[], writing: Writing): unknown {
  const items = itemsToTagged(array, writing);
  const first = array[0];
  return typeof first === "string" && first.startsWith("~") ? ["~a", items] : items;
}

function itemsToTagged(array: readonly unknown[], writing: Writing): readonly unknown[] {
  let copy: unknown[] | undefined;
  const { keys } = writing;
  for (let index = 0; index < array.length; index++) {
    const item = array[index];
    keys.push(index);
    const tagged = toTagged(item, writing);
    keys.pop();
    if (copy) copy.push(tagged);
    else if (tagged !== item) copy = [...array.slice(0, index), tagged];
  }
  return copy ?? array;
}

function objectToTagged(object: object, writing: Writing): unknown {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null)
    return plainToTagged(object as Record<string, unknown>, writing);
  if (object instanceof Date) return ["~d", Number.isNaN(object.getTime()) ? null : object.getTime()];
  if (object instanceof Map) return ["~m", itemsToTagged([...object], writing)];
  if (object instanceof Set) return ["~s", itemsToTagged([...object], writing)];
  if (object instanceof URL) return ["~U", object.href];
  if (object instanceof Error) return ["~e", String(object.name), String(object.message)];
  if (isPromiseLike(object)) {
    if (writing.keepPromise) return ["~p", writing.keepPromise(object)];
    throw pageErrors.dataNotSendable(
      pathOf(writing),
      "a promise inside a streamed value",
      "Await it before the outer promise resolves.",
    );
  }
  throw pageErrors.dataNotSendable(
    pathOf(writing),
    `an instance of ${(prototype as { constructor?: { name?: string } }).constructor?.name || "a class"}`,
    "Return a plain object with the fields that the page shows.",
  );
}

/** The copy has every key as its own from the start, so that assigning a key named `__proto__` sets that key. */
function plainToTagged(object: Record<string, unknown>, writing: Writing): unknown {
  let copy: Record<string, unknown> | undefined;
  const { keys } = writing;
  for (const key in object) {
    if (!Object.hasOwn(object, key)) continue;
    const value = object[key];
    if (typeof value === "string") {
      if (copy) copy[key] = value;
      continue;
    }
    keys.push(key);
    const tagged = toTagged(value, writing);
    keys.pop();
    if (copy) copy[key] = tagged;
    else if (tagged !== value) copy = { ...object, [key]: tagged };
  }
  return copy ?? object;
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function cycleIn(root: unknown): Error | undefined {
  const above = new Set<object>();
  const find = (value: unknown, path: string): string | undefined => {
    if (typeof value !== "object" || value === null) return undefined;
    if (above.has(value)) return path;
    above.add(value);
    for (const [key, child] of Object.entries(value)) {
      const found = find(child, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
      if (found) return found;
    }
    above.delete(value);
    return undefined;
  };
  const path = find(root, "data");
  return path ? pageErrors.dataNotSendable(path, "a cycle", "Return a tree; refer to other parts by id.") : undefined;
}

/** Returns the promise for a late value, by its number. */
export type LatePromises = (id: number) => Promise<unknown>;

/** Reads the output of `writeTagged`. The list of tags is fixed: nothing is constructed by name. */
export function readTagged(text: string, late?: LatePromises): unknown {
  const value: unknown = JSON.parse(text);
  return mayHoldTags(text) ? fromTagged(value, late) : value;
}

/** Most data contains no tag and need not be walked. */
export function mayHoldTags(text: string): boolean {
  return text.includes('["~');
}

/**
 * Replaces tagged arrays in place. Every key is already the object's own, even one named `__proto__`. Depth is not
 * checked, because the writer has limited it.
 */
export function fromTagged(value: unknown, late: LatePromises | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    if (typeof value[0] === "string" && value[0].startsWith("~")) return untagged(value, late);
    return walkArray(value, late);
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    const inner = object[key];
    if (typeof inner === "object" && inner !== null) object[key] = fromTagged(inner, late);
  }
  return object;
}

function walkArray(array: unknown[], late: LatePromises | undefined): unknown[] {
  for (let index = 0; index < array.length; index++) array[index] = fromTagged(array[index], late);
  return array;
}

function untagged(array: unknown[], late: LatePromises | undefined): unknown {
  const [tag, first, second] = array;
  const items = (): unknown[] => walkArray(Array.isArray(first) ? first : [], late);
  switch (tag) {
    case "~d":
      return new Date(typeof first === "number" ? first : Number.NaN);
    case "~m":
      return new Map(items() as [unknown, unknown][]);
    case "~s":
      return new Set(items());
    case "~a":
      return items();
    case "~n":
      return BigInt(String(first));
    case "~u":
      return undefined;
    case "~U":
      return new URL(String(first));
    case "~N":
      return Number(first);
    case "~e":
      return Object.assign(new Error(String(second)), { name: String(first) });
    case "~p":
      if (late && typeof first === "number") return late(first);
  }
  throw pageErrors.dataUnreadable(`the tag ${String(tag)} is not known`);
}
