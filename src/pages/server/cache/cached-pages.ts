import type { BypassReason } from "#signals";
import { isAffected } from "../../affected.ts";
import type { ServerLimits } from "../../limits.ts";
import type { SharedOutcome, SharedPage } from "./shared-page.ts";

export type CacheLimits = Pick<ServerLimits, "cachedBytes" | "cachedPages" | "cachedFailingMs">;

export interface CachedPagesDeps {
  now: () => number;
  limits: CacheLimits;
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

interface Entry {
  key: string;
  depends: readonly string[];
  bytes: number;
  freshMs: number;
  staleMs: number;
  held: CachedEntry | { reason: BypassReason; asOf: number };
  /** No refresh begins before this time: one was claimed, or has failed. */
  refreshAt: number;
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
 * those that were used last stay. A page is rendered once, however many requests wait for it.
 */
export class CachedPages {
  readonly #deps: CachedPagesDeps;
  /** The one that was used last is the last. */
  readonly #entries = new Map<string, Entry>();
  readonly #renderings = new Map<string, Rendering>();
  #bytes = 0;

  constructor(deps: CachedPagesDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(key: string): Cached {
    const entry = this.#entries.get(key);
    if (!entry) return absent;
    const now = this.#deps.now();
    const { held, freshMs, staleMs } = entry;
    const age = now - held.asOf;
    if ("reason" in held) {
      if (age <= freshMs) return { kind: "personal", reason: held.reason };
      this.#remove(entry);
      return absent;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (age <= freshMs) return { kind: "fresh", entry: held };
    const isPausing = now < entry.refreshAt;
    const isKept = age <= freshMs + staleMs || (isPausing && age <= this.#deps.limits.cachedFailingMs);
    if (!isKept) return { kind: "absent", last: held };
    return { kind: "stale", entry: held, mayRefresh: !isPausing && !this.#current(key) };
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
    for (const entry of [...this.#entries.values()]) {
      if (!isAffected(entry.depends, names)) continue;
      this.#remove(entry);
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
      if (!rendering.isOutdated) this.#put(query, { reason: outcome.reason, asOf }, 0);
      return outcome;
    }
    if (outcome.kind === "unstored") return rendering.isOutdated ? outcome : this.#endWithout(key, outcome);
    const { page } = outcome;
    const decision = { kind: "shared", page } as const;
    const bytes = page.document.plain.length + page.data.plain.length + page.lines.length;
    const unstored = (reason: BypassReason): SharedOutcome => ({ kind: "unstored", decision, reason });
    if (rendering.isOutdated) return unstored({ kind: "changed" });
    if (bytes > this.#deps.limits.cachedBytes / pageShare) {
      this.#drop(key);
      return unstored({ kind: "too-large" });
    }
    const entry = this.#put(query, { page, asOf, tookMs: this.#deps.now() - asOf, failures: 0 }, bytes);
    page.document.onGrow = page.data.onGrow = (more) => this.#grow(entry, more);
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

  #put({ key, freshMs, staleMs, depends }: CacheQuery, held: Entry["held"], pageBytes: number): Entry {
    this.#drop(key);
    const bytes = entryBytes + 2 * key.length + pageBytes;
    const entry: Entry = { key, depends, bytes, freshMs, staleMs, held, refreshAt: 0 };
    this.#entries.set(key, entry);
    this.#bytes += bytes;
    this.#makeRoom();
    return entry;
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
    for (const entry of this.#entries.values()) {
      if (this.#bytes <= cachedBytes && this.#entries.size <= cachedPages) return;
      this.#remove(entry);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) this.#remove(entry);
  }

  #remove(entry: Entry): void {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    this.#bytes -= entry.bytes;
  }
}

const absent: Cached = { kind: "absent", last: undefined };
