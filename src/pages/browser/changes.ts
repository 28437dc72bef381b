import { changedCookie, changedCookieSeconds } from "../page-data.ts";
import { changed, type Freshness, firstPage } from "./data/page-freshness.ts";

/** Tags and paths that have changed. `since`: the clock of the change before. */
export interface ChangedNames {
  names: readonly string[];
  since: number;
}

/**
 * Receives changes from other tabs and publishes the changes of this one. A form posted without script announces its
 * change by a cookie, because its document is gone before a channel could deliver a message.
 */
export class Changes {
  /** Read and written by the navigation code and by the submission record. */
  page: Freshness = firstPage;
  /** Another user may be signed in, so the page is fetched again even in a hidden tab. */
  urgent = false;
  readonly #forget: (session: boolean, only?: ChangedNames) => void;
  readonly #onDoubt: () => void;
  #channel: BroadcastChannel | undefined;
  /** The cookie's value at the last check. */
  #seen = readCookie();

  /**
   * `forget` drops prefetched pages, and with a session change the pages kept in history; with names, it spares pages
   * that do not depend on them. `onDoubt` is called when the
   * page on screen may be out of date.
   */
  constructor(forget: (session: boolean, only?: ChangedNames) => void, onDoubt: () => void) {
    this.#forget = forget;
    this.#onDoubt = onDoubt;
    this.open();
    // The server may have rendered this document before a change that was published before the channel was open.
    if (lastChange() > performance.timeOrigin) this.page = changed(this.page);
  }

  /** Records a change made in another tab, by a document without script, or by the application itself. */
  record(session: boolean, names?: readonly string[]): void {
    this.urgent ||= session;
    const since = this.page.changed;
    this.page = changed(this.page);
    this.#forget(session, names && { names, since });
    this.#onDoubt();
  }

  /** Records a change that the application has made itself, and publishes it. */
  announce(names?: readonly string[]): void {
    this.record(false, names);
    this.#post(names ?? false);
  }

  #post(message: readonly string[] | boolean): void {
    // Tabs of older builds take names for a change of everything.
    this.#channel?.postMessage(message);
    lastChange(Date.now());
  }

  /** Publishes a change of this tab, which `page` already includes. */
  publish(session: boolean, only?: ChangedNames): void {
    this.#forget(session, only);
    this.#post(only?.names ?? session);
    if (!session) return;
    // For pages in the back/forward cache, which receive no messages.
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store needs a secure context, and answers later
    document.cookie = `${changedCookie}=${Date.now()}s;path=/;max-age=${changedCookieSeconds};samesite=lax`;
    this.#seen = readCookie();
  }

  /** Checks for changes by documents without script. Returns true when the session has changed. */
  checkCookie(): boolean {
    const cookie = readCookie();
    if (!cookie || cookie === this.#seen) return false;
    this.#seen = cookie;
    const session = cookie.endsWith("s");
    this.record(session);
    return session;
  }

  open(): void {
    this.#channel = new BroadcastChannel("holdfast-mutations");
    this.#channel.onmessage = ({ data }) => {
      this.#seen = readCookie();
      this.record(data === true, Array.isArray(data) ? data.map(String) : undefined);
    };
  }

  /** Closes the channel: some browsers do not store a page with an open channel in the back/forward cache. */
  close(): void {
    this.#channel?.close();
  }
}

/**
 * When a tab of this browser last published a change, as wall-clock time; `now` sets it. Where storage is denied or
 * full, only documents that are loading at that moment miss the change.
 */
function lastChange(now?: number): number {
  const key = "holdfast-last-change";
  try {
    if (now) localStorage.setItem(key, `${now}`);
    return Number(localStorage.getItem(key));
  } catch {
    return 0;
  }
}

function readCookie(): string | undefined {
  return new RegExp(`${changedCookie}=(\\w+)`).exec(document.cookie)?.[1];
}
