import { outsideRequests } from "../author/visit-scope.ts";
import { channelHub } from "../live/channel-hub.ts";

/** A cache whose pages depend on names. */
export interface Invalidated {
  /** Removes what depends on one of these tags and paths; undefined: everything. */
  invalidate(names: readonly string[] | undefined): number;
}

export interface InvalidationParts {
  /** Whether a process of this application may have cached pages. */
  mayCache: () => boolean;
  warn: ((sentence: string) => void) | undefined;
}

/** The channel that carries names between processes. Names of applications have no colon at their beginning. */
const channelName = ":holdfast:invalidate";
/** One message. More names than this are everything. */
const namesAtMost = 200;
/** Until the next attempt to reach the other processes. */
const retryMs = 1_000;

/** Brings `invalidate` to the caches of this process at once, and to those of all others by the relay of channels. */
export class Invalidations {
  #caches: WeakRef<Invalidated>[] = [];
  #parts: InvalidationParts | undefined;
  #isListening = false;
  /** Names that other processes have not got; undefined: everything. */
  #unsent: readonly string[] | undefined = [];
  #retry: NodeJS.Timeout | undefined;

  connect(parts: InvalidationParts): void {
    this.#parts = parts;
  }

  get isConnected(): boolean {
    return this.#parts !== undefined;
  }

  /** The cache hears of changes as long as it is in use. */
  add(cache: Invalidated): void {
    this.#caches = [...this.#caches.filter((one) => one.deref()), new WeakRef(cache)];
    if (this.#isListening) return;
    this.#isListening = true;
    outsideRequests(() =>
      channelHub.subscribe(channelName, {
        message: (names) => this.#dropHere(readNames(names)),
        // Names may be among what was missed.
        gap: () => this.#dropHere(undefined),
      }),
    );
  }

  /** Removes pages here, then everywhere else. Returns how many pages of this process that were. */
  invalidate(names: readonly string[] | undefined): number {
    const count = this.#dropHere(names);
    if (this.#parts?.mayCache()) void this.#send(names);
    return count;
  }

  #dropHere(names: readonly string[] | undefined): number {
    return this.#caches.reduce((count, cache) => count + (cache.deref()?.invalidate(names) ?? 0), 0);
  }

  async #send(names: readonly string[] | undefined): Promise<void> {
    const all = join(this.#unsent, names);
    this.#unsent = [];
    clearTimeout(this.#retry);
    if ((await channelHub.publish(channelName, all ?? null)) === "published") return;
    if (this.#unsent?.length === 0) this.#parts?.warn?.(unreachable);
    this.#unsent = join(this.#unsent, all);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#send([]), retryMs).unref();
  }
}

const unreachable =
  "Other processes could not be told that pages have changed; they may send cached pages that are out of date. This is tried again every second.";

function join(one: readonly string[] | undefined, other: readonly string[] | undefined): readonly string[] | undefined {
  if (!one || !other) return undefined;
  const both = [...new Set([...one, ...other])];
  return both.length > namesAtMost ? undefined : both;
}

/** Another process may have another version: what is not understood is everything. */
function readNames(names: unknown): readonly string[] | undefined {
  return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : undefined;
}

/** One for each copy of this code, like the hub of channels. */
export const invalidations: Invalidations = new Invalidations();
