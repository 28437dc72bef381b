import { codeAddressesOf } from "#errors";

/**
 * What application code has read of its request. A name is one parameter, cookie, header or key of `locals`;
 * `everyName` is all of them, and the name of what has no parts.
 */
export type ReadKind =
  | "params"
  | "search"
  | "url"
  | "headers"
  | "cookies"
  | "locals"
  | "clientAddress"
  | "method"
  | "lang"
  /** Status, headers or language of the response: application code has them in order to change them. */
  | "response";

export const everyName = "*";

/** Called at each read, also if the same is read again. `value` is what the code gets. */
export type OnRead = (kind: ReadKind, name: string, value: unknown) => void;

/**
 * The context of a hook, guard or load, in which each read is reported. To name a part, as `({ cookies }) =>` does,
 * reads nothing of `params`, `headers`, `cookies` and `locals`; everything else counts as read. Changes are reported as
 * reads of everything: of `locals`, and of cookies. Only contexts that are tracked cost anything.
 */
export function trackContext<Context extends object>(context: Context, onRead: OnRead): Context {
  const parts = new Map<PropertyKey, unknown>();
  return new Proxy(context, {
    get(target, key) {
      // The getters of a request have private fields, so they need the object itself.
      const value: unknown = Reflect.get(target, key, target);
      if (isWhole(key)) onRead(key, everyName, value);
      if (!isDivided(key) || typeof value !== "object" || value === null) return value;
      // The same object at each read, as without tracking.
      if (!parts.has(key))
        parts.set(
          key,
          trackers[key](value, (name, part) => onRead(key, name, part)),
        );
      return parts.get(key);
    },
  });
}

type OnPart = (name: string, value: unknown) => void;

const whole: ReadonlySet<PropertyKey> = new Set(["search", "url", "clientAddress", "method", "lang", "response"]);

function isWhole(key: PropertyKey): key is "search" | "url" | "clientAddress" | "method" | "lang" | "response" {
  return whole.has(key);
}

function isDivided(key: PropertyKey): key is keyof typeof trackers {
  return Object.hasOwn(trackers, key);
}

const trackers = {
  params: trackRecord,
  locals: trackRecord,
  cookies: (cookies: object, onPart: OnPart) => trackMethods(cookies, ["get"], onPart),
  // `has` and `get` are one read: its value is what `get` returns.
  headers: (headers: object, onPart: OnPart) =>
    trackMethods(headers, ["get", "has"], (name, value) =>
      onPart(name.toLowerCase(), typeof value === "boolean" ? (headers as Headers).get(name) : value),
    ),
};

/** A plain object by its keys. An object of a class has methods and private fields: it is read as a whole. */
function trackRecord(record: object, onPart: OnPart): object {
  const prototype: unknown = Object.getPrototypeOf(record);
  if (prototype !== Object.prototype && prototype !== null) {
    onPart(everyName, record);
    return record;
  }
  const all = (): void => onPart(everyName, record);
  return new Proxy(record, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key === "string") onPart(key, value);
      return value;
    },
    has(target, key) {
      if (typeof key === "string") onPart(key, Reflect.get(target, key));
      return Reflect.has(target, key);
    },
    ownKeys(target) {
      all();
      return Reflect.ownKeys(target);
    },
    set(target, key, value) {
      all();
      return Reflect.set(target, key, value);
    },
    deleteProperty(target, key) {
      all();
      return Reflect.deleteProperty(target, key);
    },
    defineProperty(target, key, descriptor) {
      all();
      return Reflect.defineProperty(target, key, descriptor);
    },
  });
}

/** An object with private fields by its methods: those of `named` read the name that they get, others everything. */
function trackMethods(object: object, named: readonly string[], onPart: OnPart): object {
  return new Proxy(object, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        if (typeof key === "string" && named.includes(key)) onPart(String(args[0]), result);
        else onPart(everyName, undefined);
        return result;
      };
    },
  });
}

/** The first read of one kind, for a message to the author. */
export interface FirstRead {
  name: string;
  /** The file and line of the application that read it, where places are wanted. */
  place: string | undefined;
}

/** Remembers what was read, without its values. `places`: in development, since each first read then needs a stack. */
export class ReadLog {
  readonly #first = new Map<ReadKind, FirstRead>();
  readonly #places: boolean;

  constructor(places = false) {
    this.#places = places;
  }

  /** For `trackContext`. */
  readonly note: OnRead = (kind, name) => {
    if (!this.#first.has(kind)) this.#first.set(kind, { name, place: this.#places ? placeOfRead() : undefined });
  };

  /** The first read of these kinds, in the order of the arguments. */
  first(...kinds: readonly ReadKind[]): ({ kind: ReadKind } & FirstRead) | undefined {
    for (const kind of kinds) {
      const read = this.#first.get(kind);
      if (read) return { kind, ...read };
    }
    return undefined;
  }
}

/** The folders of the framework's code: with source maps, a stack of the built package names its sources. */
const ownFolders = codeAddressesOf(import.meta.url);

/** The nearest caller that is neither the framework nor Node: `src/pages/orders.server.ts:7:12`. */
function placeOfRead(): string | undefined {
  const lines = new Error().stack?.split("\n").slice(1) ?? [];
  const places = lines.flatMap((line) => /\(?((?:file:|\/|[A-Za-z]:).*:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  const isOwn = (place: string): boolean =>
    ownFolders.some((folder) => (place.startsWith("file:") ? place : `file://${place}`).startsWith(folder));
  // The code of an application is below `src`.
  return places.find((place) => !isOwn(place))?.replace(/^.*\/(src\/)/, "$1");
}
