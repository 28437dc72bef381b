import type { BypassReason } from "#signals";
import { isAffected } from "../../affected.ts";
import type { ServerLimits } from "../../limits.ts";
import { pageBytes, type SharedOutcome, type SharedPage } from "./shared-page.ts";
import type { SpilledPage, SpilledPages } from "./spilled-pages.ts";

export type CacheLimits = Pick<ServerLimits, "cachedBytes" | "cachedPages" | "cachedFailingMs">;

export interface CachedPagesDeps {
  now: () => number;
  limits: CacheLimits;
  /** Takes pages for which the memory has no room. Without it they are gone. */
  disk?: SpilledPages | undefined;
}

/** What one request asks of the cache. */
export interface CacheQuery {
  key: string;
  freshMs: number;
  staleMs: number;
  /** Tags and path of the page. */
  depends: readonly string[];
  /** Renders the page for every visitor. Never rejects. */
  render: () => Promise<SharedOutcome>;
}

/** What the cache has for a key. */
export type Cached =
  | { kind: "fresh"; entry: CachedEntry }
  /** `mayRefresh`: no rendering is in progress, and the last failure is long enough ago. */
  | { kind: "stale"; entry: CachedEntry; mayRefresh: boolean }
  /** Known to read something of one visitor. */
  | { kind: "personal"; reason: BypassReason }
  /** It is in memory again, or gone, after `restored`. */
  | { kind: "on-disk"; restored: Promise<void> }
  /** Nothing, or too old; a page that is too old is the answer while rendering fails. */
  | { kind: "absent"; last: CachedEntry | undefined };

export interface CachedEntry {
  readonly page: SharedPage;
  /** When its rendering began: its data may be as old. */
  readonly asOf: number;
  /** How long the rendering took. */
  readonly tookMs: number;
  /** Renderings that have failed since. */
  failures: number;
}

interface EntryFacts {
  key: string;
  depends: readonly string[];
  freshMs: number;
  staleMs: number;
  /** No refresh begins before this time: one was claimed, or has failed. */
  refreshAt: number;
}

interface Entry extends EntryFacts {
  bytes: number;
  held: CachedEntry | { reason: BypassReason; asOf: number };
}

/** A page on disk. It must not refer to the page itself. */
interface SpilledEntry {
  facts: EntryFacts;
  held: Omit<CachedEntry, "page">;
  spilled: SpilledPage;
  restored: Promise<void> | undefined;
}

/** A rendering that all requests for its page wait for. */
export interface Rendering {
  readonly ended: Promise<RenderingEnd>;
  readonly depends: readonly string[];
  /** Something that it depends on has changed since it began: it is not stored, and no other request joins it. */
  isOutdated: boolean;
}

/** `last`: the last good page, which is sent in place of a failure. */
export type RenderingEnd = SharedOutcome | { kind: "failed"; last: CachedEntry };

/** What an entry needs beside its bytes: objects and keys of the map. */
const entryBytes = 1_024;
/** One page may have this share of the cache, so that it does not displace all others. */
const pageShare = 8;
/** Pause after the first failure; it doubles with each. The longest is short enough for a visitor to wait. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/**
 * The pages of one build that are the same for all visitors, in the memory of one process: bounded in number and bytes,
 * those that were used last stay, and the others go to disk. A page is rendered once, however many requests wait for
 * it.
 */
export class CachedPages {
  readonly #deps: CachedPagesDeps;
  /** The one that was used last is the last. */
  readonly #entries = new Map<string, Entry>();
  /** The one that was written last is the last. */
  readonly #spilled = new Map<string, SpilledEntry>();
  #newest: Entry | undefined;
  readonly #renderings = new Map<string, Rendering>();
  #bytes = 0;

  constructor(deps: CachedPagesDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#entries.size + this.#spilled.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(key: string): Cached {
    const entry = this.#entries.get(key);
    if (!entry) return this.#findOnDisk(key);
    const now = this.#deps.now();
    const { held, freshMs, staleMs } = entry;
    const age = now - held.asOf;
    if ("reason" in held) {
      if (age <= freshMs) return { kind: "personal", reason: held.reason };
      this.#remove(entry);
      return absent;
    }
    this.#touch(entry);
    if (age <= freshMs) return { kind: "fresh", entry: held };
    const isPausing = now < entry.refreshAt;
    const isKept = age <= freshMs + staleMs || (isPausing && age <= this.#deps.limits.cachedFailingMs);
    if (!isKept) return { kind: "absent", last: held };
    return { kind: "stale", entry: held, mayRefresh: !isPausing && !this.#current(key) };
  }

  #findOnDisk(key: string): Cached {
    const spilled = this.#spilled.get(key);
    if (!spilled) return absent;
    spilled.restored ??= this.#restore(spilled);
    return { kind: "on-disk", restored: spilled.restored };
  }

  async #restore({ facts, held, spilled }: SpilledEntry): Promise<void> {
    const page = await this.#deps.disk?.read(spilled);
    // It was removed while it was read.
    if (this.#spilled.get(facts.key)?.spilled !== spilled) return;
    this.#drop(facts.key);
    if (page) this.#hold(facts, { ...held, page });
  }

  /** True for one request in a second: it is the one that refreshes a stale page. */
  claimRefresh(key: string): boolean {
    const entry = this.#entries.get(key);
    const now = this.#deps.now();
    if (!entry || now < entry.refreshAt) return false;
    entry.refreshAt = now + firstPauseMs;
    return true;
  }

  /** Joins the rendering of a page, or begins it. */
  render(query: CacheQuery): { rendering: Rendering; hasJoined: boolean } {
    const current = this.#current(query.key);
    if (current) return { rendering: current, hasJoined: true };
    const asOf = this.#deps.now();
    const { promise: ended, resolve } = Promise.withResolvers<RenderingEnd>();
    const rendering: Rendering = { ended, depends: query.depends, isOutdated: false };
    this.#renderings.set(query.key, rendering);
    void query.render().then((outcome) => {
      if (this.#renderings.get(query.key) === rendering) this.#renderings.delete(query.key);
      resolve(this.#settle(query, outcome, { asOf, rendering }));
    });
    return { rendering, hasJoined: false };
  }

  /** Removes what depends on one of these names; undefined: everything. Returns how many pages that are. */
  invalidate(names: readonly string[] | undefined): number {
    let count = 0;
    for (const rendering of this.#renderings.values())
      if (isAffected(rendering.depends, names)) rendering.isOutdated = true;
    const spilled = [...this.#spilled.values()].map(({ facts }) => facts);
    for (const { key, depends } of [...this.#entries.values(), ...spilled]) {
      if (!isAffected(depends, names)) continue;
      this.#drop(key);
      count += 1;
    }
    return count;
  }

  #current(key: string): Rendering | undefined {
    const rendering = this.#renderings.get(key);
    return rendering?.isOutdated ? undefined : rendering;
  }

  #settle(
    query: CacheQuery,
    outcome: SharedOutcome,
    { asOf, rendering }: { asOf: number; rendering: Rendering },
  ): RenderingEnd {
    const { key } = query;
    if (outcome.kind === "personal") {
      if (!rendering.isOutdated) this.#put(query, { reason: outcome.reason, asOf });
      return outcome;
    }
    if (outcome.kind === "unstored") return rendering.isOutdated ? outcome : this.#endWithout(key, outcome);
    const { page } = outcome;
    const decision = { kind: "shared", page } as const;
    const bytes = pageBytes(page);
    const unstored = (reason: BypassReason): SharedOutcome => ({ kind: "unstored", decision, reason });
    if (rendering.isOutdated) return unstored({ kind: "changed" });
    if (bytes > this.#deps.limits.cachedBytes / pageShare) {
      this.#drop(key);
      return unstored({ kind: "too-large" });
    }
    this.#put(query, { page, asOf, tookMs: this.#deps.now() - asOf, failures: 0 });
    return outcome;
  }

  /** A failure keeps the last good page; a page that is gone, or leads elsewhere, replaces it. */
  #endWithout(key: string, outcome: Extract<SharedOutcome, { kind: "unstored" }>): RenderingEnd {
    const entry = this.#entries.get(key);
    if (!entry || "reason" in entry.held) return outcome;
    if (outcome.reason.kind !== "failed") {
      this.#remove(entry);
      return outcome;
    }
    const now = this.#deps.now();
    entry.held.failures += 1;
    entry.refreshAt = now + Math.min(longestPauseMs, firstPauseMs * 2 ** (entry.held.failures - 1));
    if (now - entry.held.asOf <= this.#deps.limits.cachedFailingMs) return { kind: "failed", last: entry.held };
    this.#remove(entry);
    return outcome;
  }

  #put({ key, freshMs, staleMs, depends }: CacheQuery, held: Entry["held"]): void {
    this.#drop(key);
    this.#hold({ key, depends, freshMs, staleMs, refreshAt: 0 }, held);
  }

  #hold(facts: EntryFacts, held: Entry["held"]): void {
    const bytes = entryBytes + 2 * facts.key.length + ("page" in held ? pageBytes(held.page) : 0);
    const entry = { ...facts, held, bytes };
    if ("page" in held) held.page.document.onGrow = held.page.data.onGrow = (more) => this.#grow(entry, more);
    this.#entries.set(entry.key, entry);
    this.#newest = entry;
    this.#bytes += bytes;
    this.#makeRoom();
  }

  #touch(entry: Entry): void {
    if (entry === this.#newest) return;
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
    this.#newest = entry;
  }

  /** A compressed text is kept beside the plain one. */
  #grow(entry: Entry, bytes: number): void {
    if (this.#entries.get(entry.key) !== entry) return;
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#makeRoom();
  }

  #makeRoom(): void {
    const { cachedBytes, cachedPages } = this.#deps.limits;
    for (const key of this.#spilled.keys()) {
      if (this.size <= cachedPages) break;
      this.#drop(key);
    }
    for (const entry of this.#entries.values()) {
      if (this.#bytes <= cachedBytes && this.size <= cachedPages) return;
      // It is the answer if the rendering fails.
      if (this.#current(entry.key)) continue;
      this.#remove(entry);
      if (this.size < cachedPages) this.#spill(entry);
    }
  }

  #spill({ held, bytes: _bytes, ...facts }: Entry): void {
    if (!("page" in held)) return;
    const { page, ...ofPage } = held;
    const spilled = this.#deps.disk?.write(page, () => {
      if (this.#spilled.get(facts.key)?.facts === facts) this.#spilled.delete(facts.key);
    });
    if (spilled) this.#spilled.set(facts.key, { facts, held: ofPage, spilled, restored: undefined });
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) this.#remove(entry);
    const onDisk = this.#spilled.get(key);
    if (!onDisk) return;
    this.#spilled.delete(key);
    this.#deps.disk?.drop(onDisk.spilled);
  }

  #remove(entry: Entry): void {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    if (this.#newest === entry) this.#newest = undefined;
    this.#bytes -= entry.bytes;
  }
}

const absent: Cached = { kind: "absent", last: undefined };
