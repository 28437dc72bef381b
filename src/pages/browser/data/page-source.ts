import type { BrowserSignals } from "#signals";
import type { BrowserLimits } from "../../limits.ts";
import type { NavigationEvent, NavigationTarget, Source } from "../navigation/navigation-events.ts";
import { PrefetchCache } from "../prefetch/prefetch-cache.ts";
import { PrefetchQueue, type Trigger } from "../prefetch/prefetch-queue.ts";
import type { DataRequest, PageDataEvent } from "./fetch-page-data.ts";
import { type DataAnswer, type PageAnswer, withoutHash } from "./page-answer.ts";

export interface PageSourceDeps {
  limits: BrowserLimits;
  now(): number;
  build: string;
  signals: BrowserSignals;
  /** Starts a page-data request; returns a function that stops it. */
  request(request: DataRequest, onEvent: (event: PageDataEvent) => void): () => void;
  /** Headers that connect the server's spans with the visitor's trace. */
  headers(id: number): Record<string, string>;
  /** Loads the route's code ahead of the click. */
  warmCode(url: string): void;
  /** `clock` is the current `Freshness` clock. `isInDoubt`: whether something has changed since `asOf`. */
  clock(): number;
  isInDoubt(asOf: number): boolean;
  /**
   * A response belongs to another session. `known`: the server recognized a visitor both times, so this is another
   * user.
   */
  sessionChanged(known: boolean): void;
}

interface Prefetch {
  asOf: number;
  abort(): void;
  answered?: Extract<PageDataEvent, { kind: "answered" }>;
  /** The navigation that has joined this prefetch. */
  follower?: (event: PageDataEvent) => void;
  /** The fetchers that use its response. */
  readonly readers: Set<(event: PageDataEvent) => void>;
  /**
   * The visitor holds the link down: this is the click's own request, started early, so its response counts even if it
   * is a failure.
   */
  pressed?: boolean;
  /** Started by a press, it also ends with its click. Started by a fetcher, it ends with its last reader. */
  purpose: "prefetch" | "click" | "read";
}

interface Found {
  answer: DataAnswer;
  source: Source;
}

/** Progress of a navigation's page, as events of the navigation record without their id. */
export type PageProgress = WithoutId<
  Extract<NavigationEvent<PageAnswer>, { kind: "alive" | "answered" | "redirected" | "data-failed" }>
>;
type WithoutId<Union> = Union extends unknown ? Omit<Union, "id"> : never;

/**
 * Supplies pages: prefetched and still valid, already requested, or requested now. There is one request per page at any
 * time: a click removes its address from the queue or joins the running prefetch.
 */
export class PageSource {
  readonly #deps: PageSourceDeps;
  readonly #cache: PrefetchCache<DataAnswer>;
  readonly #queue: PrefetchQueue;
  readonly #prefetches = new Map<string, Prefetch>();
  /** Tag of the visitor's session; undefined before it is known. */
  #tag: string | undefined;
  /** Another build has responded: everything prefetched belongs to an older one. */
  #outdated = false;
  /** Address of the pending navigation, which is not prefetched as well. */
  #pending: string | undefined;
  /** Stops the request of the pending navigation, or detaches it from the prefetch it joined. */
  #stopPending: () => void = nothing;
  /** Stops the late parts of the page on screen. */
  #stopShown: () => void = nothing;
  /**
   * The failed response to a press whose click is still expected, kept for `pressMs`. One click is one request, so it
   * is not requested again.
   */
  #inHand: (Found & { key: string; until: number }) | undefined;

  constructor(deps: PageSourceDeps) {
    this.#deps = deps;
    const { limits, signals } = deps;
    this.#cache = new PrefetchCache(limits, (key, use, ageMs) => signals.prefetchUsed({ url: urlOf(key), use, ageMs }));
    this.#queue = new PrefetchQueue(limits, {
      now: deps.now,
      send: (url, pressed) => this.#prefetch(url, pressed ? "click" : "prefetch"),
      suppressed: (url) => signals.prefetchEnded({ url, outcome: "suppressed-rate" }),
    });
  }

  /** Tag of the session that the server last responded for; undefined before the first response. */
  get tag(): string | undefined {
    return this.#tag;
  }

  /** Requests a prefetch. Addresses have no hash. */
  want(url: string, trigger: Trigger, distance?: number): void {
    if (this.#outdated) return;
    const known = url === this.#pending || this.#cache.find(this.#key(url), this.#deps.now()).kind !== "absent";
    if (!known && !this.#prefetches.has(url)) this.#queue.want(url, trigger, distance);
    const prefetch = this.#prefetches.get(url);
    if (prefetch && trigger === "press") prefetch.pressed = true;
  }

  /** Drops a queued prefetch, because its link has left the viewport. */
  drop(url: string): void {
    if (this.#queue.drop(url)) this.#deps.signals.prefetchEnded({ url, outcome: "dropped" });
  }

  pause(paused: boolean): void {
    this.#queue.pause(paused);
  }

  /** Drops what is prefetched, because something has changed in this or another tab: all, or what is not spared. */
  forget(isSpared?: (page: PageAnswer) => boolean): void {
    if (isSpared) this.#cache.keepOnly((answer) => answer.kind === "page" && isSpared(answer));
    else {
      this.#tag = undefined;
      this.#cache.empty();
    }
    this.#inHand = undefined;
    this.#queue.forget();
    for (const prefetch of this.#prefetches.values()) if (!prefetch.follower) prefetch.abort();
  }

  /**
   * Stops prefetching and drops everything prefetched, because another build has responded. Clicks still send their own
   * requests.
   */
  outdate(): void {
    this.#outdated = true;
    this.forget();
  }

  sweep(): void {
    this.#cache.sweep(this.#deps.now());
  }

  /**
   * Aborts everything before the browser leaves: it needs the connections, and the back/forward cache refuses pages
   * with open ones.
   */
  abortAll(): void {
    this.stopPending();
    for (const prefetch of this.#prefetches.values()) prefetch.abort();
  }

  stopPending(): void {
    this.#stopPending();
    this.#stopPending = nothing;
    this.#pending = undefined;
  }

  /**
   * The page of the pending navigation is on screen: its late parts may still arrive, those of the page before it may
   * not.
   */
  shown(): void {
    this.#stopShown();
    this.#stopShown = this.#stopPending;
    this.#stopPending = nothing;
    this.#pending = undefined;
  }

  /** The same for a page that arrived with a form's response. */
  shownBy(stop: () => void): void {
    this.#stopShown();
    this.#stopShown = stop;
  }

  /** Gets the page of one navigation and reports its progress. `refetch`: from the server, even if it is cached. */
  get(id: number, target: NavigationTarget, refetch: boolean, onProgress: (progress: PageProgress) => void): void {
    this.stopPending();
    const url = withoutHash(target.to);
    this.#pending = url;
    this.#queue.drop(url);
    const prefetch = this.#prefetches.get(url);
    const found = refetch ? undefined : this.#find(url, target);
    if (found) onProgress(progressOf(found.answer, found.source, url));
    else if (prefetch && !refetch) this.#join(url, prefetch, onProgress);
    else this.#fetch(id, target, onProgress);
  }

  /**
   * Gets a page for a fetcher, which shows its data without navigating. Returns a function that stops it, late parts
   * included.
   */
  read(url: string, refetch: boolean, onProgress: (progress: PageProgress) => void): () => void {
    const found = refetch ? undefined : this.#cache.find(this.#key(url), this.#deps.now());
    if (found?.kind === "fresh") {
      onProgress(progressOf(found.page, "prefetched-fresh", url));
      return nothing;
    }
    this.#queue.drop(url);
    const running = this.#prefetches.get(url);
    const request = running && !this.#deps.isInDoubt(running.asOf) ? running : this.#prefetch(url, "read");
    const follow = follower(url, "joined", onProgress);
    request.readers.add(follow);
    if (request.answered) follow(request.answered);
    return () => {
      request.readers.delete(follow);
      this.#endUnread(request);
    };
  }

  #endUnread({ purpose, readers, follower, abort }: Prefetch): void {
    if (purpose === "read" && readers.size === 0 && !follower) abort();
  }

  #fetch(id: number, { to, how }: NavigationTarget, onProgress: (progress: PageProgress) => void): void {
    const url = withoutHash(to);
    const follow = follower(url, "fetched", onProgress);
    const without = how === "reload" ? ("nothing" as const) : undefined;
    const request = { url, headers: this.#deps.headers(id), prefetch: false, without };
    this.#stopPending = this.#deps.request(request, (event) => {
      if (event.kind === "answered") this.#noteTag(event.preamble.tag);
      if (isOtherBuild(event)) this.outdate();
      follow(event);
    });
  }

  #find(url: string, { how }: NavigationTarget): Found | undefined {
    const inHand = this.#inHand;
    // Any other action of the visitor discards it.
    this.#inHand = undefined;
    if (how === "reload") return undefined;
    const key = this.#key(url);
    const now = this.#deps.now();
    const found = this.#cache.find(key, now);
    if (found.kind === "absent") return inHand?.key === key && now < inHand.until ? inHand : undefined;
    // It answers one navigation: in a circle, it would hide until it expires that the server is well again.
    if (found.page.kind === "redirect") this.#cache.drop(key);
    this.#deps.signals.prefetchUsed({ url, use: found.kind, ageMs: found.ageMs });
    return { answer: found.page, source: `prefetched-${found.kind}` };
  }

  #join(url: string, prefetch: Prefetch, onProgress: (progress: PageProgress) => void): void {
    const follow = follower(url, "joined", onProgress);
    prefetch.follower = follow;
    this.#stopPending = () => {
      delete prefetch.follower;
      if (prefetch.purpose === "click") prefetch.abort();
      this.#endUnread(prefetch);
    };
    if (prefetch.answered) follow(prefetch.answered);
  }

  #prefetch(url: string, purpose: Prefetch["purpose"]): Prefetch {
    const sentAt = this.#deps.now();
    const tell = (event: PageDataEvent): void => {
      prefetch.follower?.(event);
      for (const reader of prefetch.readers) reader(event);
    };
    const prefetch: Prefetch = {
      purpose,
      pressed: purpose === "click",
      readers: new Set(),
      asOf: this.#deps.clock(),
      abort: () => {
        stop();
        this.#ended(url, prefetch, "aborted");
        tell({ kind: "failed", reason: "network" });
      },
    };
    // One that a navigation has joined stays, although something has changed since.
    if (!this.#prefetches.has(url)) this.#prefetches.set(url, prefetch);
    const headers = purpose === "read" ? {} : this.#deps.signals.prefetchStarted({ url }).headers();
    const stop = this.#deps.request({ url, headers, prefetch: purpose === "prefetch" }, (event) => {
      if (event.kind === "slow-down") this.#queue.stopFor(event.ms);
      if (event.kind === "answered") {
        this.#noteTag(event.preamble.tag);
        prefetch.answered = event;
      }
      tell(event);
      if (event.kind === "ended") this.#arrived(url, prefetch, sentAt, event.bytes);
      if (event.kind === "failed") this.#ended(url, prefetch, isOtherBuild(event) ? "discarded-build" : "failed");
      if (isOtherBuild(event)) this.outdate();
    });
    if (purpose !== "read") this.#deps.warmCode(url);
    return prefetch;
  }

  /** Caches only complete and successful responses. A failure is kept only for a click that has already begun. */
  #arrived(url: string, prefetch: Prefetch, sentAt: number, bytes: number): void {
    const { answered, follower: joined, pressed } = prefetch;
    // A prefetch that a navigation has joined is not stopped by a change, so it may be out of date.
    const good = answered && isGood(answered.answer) && !this.#deps.isInDoubt(prefetch.asOf);
    const key = this.#key(url);
    const now = this.#deps.now();
    if (good) {
      const { fresh: freshMs, expires: expiresMs } = answered.preamble;
      this.#cache.keep(key, { page: answered.answer, sentAt, freshMs, expiresMs, bytes }, now);
    } else if (answered && pressed && !joined)
      this.#inHand = { key, answer: answered.answer, source: "joined", until: now + this.#deps.limits.pressMs };
    this.#ended(url, prefetch, joined ? "joined" : good ? "stored" : "failed");
  }

  #ended(url: string, prefetch: Prefetch, outcome: Parameters<BrowserSignals["prefetchEnded"]>[0]["outcome"]): void {
    if (this.#prefetches.get(url) !== prefetch) return;
    this.#prefetches.delete(url);
    if (prefetch.purpose !== "read") this.#deps.signals.prefetchEnded({ url, outcome });
    this.#queue.ended(url);
  }

  /** Signing in or out changes the tag: no page of one session is shown in another. */
  #noteTag(tag: string | undefined): void {
    if (tag === undefined) return;
    if (this.#tag !== undefined && tag !== this.#tag) {
      this.#cache.empty();
      this.#deps.sessionChanged(this.#tag !== "" && tag !== "");
    }
    this.#tag = tag;
  }

  #key(url: string): string {
    return `${this.#deps.build} ${this.#tag} ${url}`;
  }
}

const nothing = (): void => undefined;

/**
 * Turns the events of one request into progress of a navigation. A failure after the response concerns only the late
 * parts.
 */
function follower(
  url: string,
  source: "fetched" | "joined",
  onProgress: (progress: PageProgress) => void,
): (event: PageDataEvent) => void {
  const joined = source === "joined";
  let answered = false;
  return (event) => {
    if (answered) return;
    if (event.kind === "alive") return onProgress(event);
    answered = event.kind === "answered";
    if (event.kind === "failed")
      onProgress({
        kind: "data-failed",
        reason: event.reason,
        joined,
      });
    else if (event.kind === "answered") onProgress(progressOf(event.answer, source, url));
  };
}

function isOtherBuild(event: PageDataEvent): boolean {
  return event.kind === "failed" && event.reason === "build-mismatch";
}

function progressOf(answer: DataAnswer, source: Source, url: string): PageProgress {
  return answer.kind === "redirect"
    ? { kind: "redirected", to: absolute(answer.to, url) }
    : { kind: "answered", page: answer, source };
}

function isGood(answer: DataAnswer): boolean {
  return answer.kind === "redirect" || answer.status < 500;
}

function absolute(to: string, base: string): string {
  return new URL(to, base).href;
}

/** The address is the last word of a key. */
function urlOf(key: string): string {
  return key.slice(key.lastIndexOf(" ") + 1);
}
