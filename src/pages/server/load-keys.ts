import { createHmac } from "node:crypto";
import { isAffected } from "../affected.ts";
import type { LoadKey } from "../page-data.ts";
import { writeTagged } from "../tagged-json.ts";
import type { Load, Locals } from "./author/define.ts";
import { pathWithoutLanguage } from "./depends.ts";
import { everyName, type OnRead, type ReadKind } from "./tracked-context.ts";
import type { Visit } from "./visit.ts";

/** A load that has tags, for one request. */
export interface TaggedLoad {
  visit: Visit;
  locals: Locals;
  load: Load;
  /** Identifies it among the loads of the application. */
  name: string;
  /** Its position among the loads of the route. */
  index: number;
  /** As its context has them. */
  params: unknown;
  tags: readonly string[];
}

/**
 * What a load reads of its requests, learned from its runs in this process like the cookies that identify visitors. A
 * value that one run does not need may decide over another, so all that were ever read count.
 */
class LoadReads {
  readonly #reads = new Map<string, readonly [kind: ReadKind, name: string]>();
  /** Its data may differ even if nothing that is compared has changed. */
  isOpaque = false;

  get size(): number {
    return this.#reads.size;
  }

  all(): readonly (readonly [kind: ReadKind, name: string])[] {
    return [...this.#reads].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, read]) => read);
  }

  readonly note: OnRead = (kind, name) => {
    const id = `${kind} ${name}`;
    if (this.isOpaque || this.#reads.has(id)) return;
    this.#reads.set(id, [kind, name]);
    this.isOpaque = isOpaqueRead(kind, name) || this.#reads.size > readsAtMost;
  };
}

/** With more names, probably written by a program, the load runs for every request. */
const readsAtMost = 50;

/**
 * A load that has the address gets another one at each navigation; one that has the response may change it. A loop over
 * all cookies, headers or locals reads too much to compare, and may be a change of them.
 */
function isOpaqueRead(kind: ReadKind, name: string): boolean {
  return kind === "url" || kind === "response" || (name === everyName && divided.has(kind));
}

const divided: ReadonlySet<ReadKind> = new Set(["cookies", "headers", "locals"]);

const learned = new WeakMap<Load, LoadReads>();

/** One run of a tagged load: whether it is needed, and the key of its data. */
export interface KeyedLoad {
  /** The key of data that the browser has, and that the load would return again. */
  same: LoadKey | undefined;
  /** For `trackContext`. */
  note: OnRead;
  /** After the run: the key of what it returned. Undefined if that cannot be known. */
  key(): LoadKey | undefined;
}

export function openKeyed(tagged: TaggedLoad): KeyedLoad {
  const { visit, load, index, tags } = tagged;
  const isKnown = learned.has(load);
  const reads = learned.get(load) ?? new LoadReads();
  learned.set(load, reads);
  const before = reads.size;
  // By the values before the run: other code may change `locals` meanwhile.
  const key = isKnown ? keyOf(tagged, reads) : undefined;
  const { known } = visit;
  const written = (one: string | undefined): LoadKey | undefined =>
    one === undefined ? undefined : [one, ...tags, pathWithoutLanguage(visit)];
  const has = key !== undefined && known?.keys[index] === key;
  const candidate = has ? written(key) : undefined;
  return {
    same: candidate && !isAffected(candidate.slice(1), known?.changed) ? candidate : undefined,
    note: reads.note,
    key: () => written(isKnown && reads.size === before ? key : keyOf(tagged, reads)),
  };
}

/**
 * A keyed hash of everything that the data depends on: build, load, visitor, language, tags and the values that were
 * read. It reveals none of them, and only this application can compute it. A browser that sends another key than its
 * own gets no data by that: it only keeps what it has.
 */
function keyOf({ visit, locals, load, name, params, tags }: TaggedLoad, reads: LoadReads): string | undefined {
  if (reads.isOpaque) return undefined;
  const { site, tag, lang } = visit;
  const values: unknown[] = load.search ? [visit.request.search] : [];
  try {
    for (const [kind, read] of reads.all()) values.push(kind, read, readValue(visit, { locals, params }, kind, read));
  } catch {
    // A value that is no plain data cannot be compared.
    return undefined;
  }
  const text = JSON.stringify(["load", site.application.parts.build, name, tag, lang, tags, values]);
  return createHmac("sha256", site.sealKey).update(text).digest("base64url").slice(0, keyCharacters);
}

/** 128 bits. */
const keyCharacters = 22;

function readValue(
  { request, site }: Visit,
  { locals, params }: { locals: Locals; params: unknown },
  kind: ReadKind,
  name: string,
): unknown {
  switch (kind) {
    case "params":
      return plain(name === everyName ? params : Reflect.get(Object(params), name));
    case "locals":
      return plain(Reflect.get(locals, name));
    case "cookies":
      return request.cookies.valuesOf([name]);
    case "headers":
      return request.incoming.headers[name] ?? null;
    case "search":
      return request.search;
    case "clientAddress":
      return site.clientOf(request.incoming);
    default:
      return request.method;
  }
}

/** A user or a list of rights is smaller; what is larger costs more than many loads. */
const comparedLimits = { dataDepth: 8, dataBytes: 10_000 };

function plain(value: unknown): string {
  return writeTagged(value, comparedLimits);
}
