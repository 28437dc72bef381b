import { changedCookie, changedCookieSeconds } from "../page-data.ts";
import { changed, type Freshness, firstPage } from "./page-freshness.ts";

/**
 * Hears what was changed in other tabs, and tells them what was changed here. Forms that were posted without script
 * leave a cookie behind, because no channel reaches a document that has gone.
 */
export class Changes {
  /** Read and written by whoever moves the visitor, and by the record of submissions. */
  page: Freshness = firstPage;
  /** Somebody else may be signed in: the page is asked for again even where the tab is not seen. */
  urgent = false;
  readonly #forget: (session: boolean) => void;
  readonly #onDoubt: () => void;
  #channel: BroadcastChannel | undefined;
  /** The cookie as it was last seen. */
  #seen = readCookie();

  /**
   * `forget`: prefetches go, and with the session the kept pages. `onDoubt`: the page that is shown may be wrong now.
   */
  constructor(forget: (session: boolean) => void, onDoubt: () => void) {
    this.#forget = forget;
    this.#onDoubt = onDoubt;
    this.open();
  }

  /** Something was changed in another tab, by a document without script, or by the application itself. */
  heard(session: boolean): void {
    this.urgent ||= session;
    this.page = changed(this.page);
    this.#forget(session);
    this.#onDoubt();
  }

  /** Something was changed here, and is noted in `page`. */
  tell(session: boolean): void {
    this.#forget(session);
    this.#channel?.postMessage(session);
    if (!session) return;
    // For pages in the back/forward cache, which hear nothing.
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store needs a secure context, and answers later
    document.cookie = `${changedCookie}=${Date.now()}s;path=/;max-age=${changedCookieSeconds};samesite=lax`;
    this.#seen = readCookie();
  }

  /** Looks for what documents without script have changed. True when the session is another one since. */
  look(): boolean {
    const cookie = readCookie();
    if (!cookie || cookie === this.#seen) return false;
    this.#seen = cookie;
    const session = cookie.endsWith("s");
    this.heard(session);
    return session;
  }

  open(): void {
    this.#channel = new BroadcastChannel("holdfast-mutations");
    this.#channel.onmessage = ({ data }) => {
      this.#seen = readCookie();
      this.heard(data === true);
    };
  }

  /** An open channel keeps some browsers from putting the page into the back/forward cache. */
  close(): void {
    this.#channel?.close();
  }
}

function readCookie(): string | undefined {
  return new RegExp(`${changedCookie}=(\\w+)`).exec(document.cookie)?.[1];
}
