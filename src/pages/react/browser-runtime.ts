import type { HrefOptions } from "#routes/href";
import * as pageErrors from "../errors.ts";
import type { PageDataReader } from "./data-outcome.ts";
import type { Posted } from "./slots.ts";

/**
 * The browser's side of the framework, as components and hooks use it. `navigate` and similar functions are plain
 * functions, so there is one runtime per document.
 */
export interface BrowserRuntime {
  isPage(href: string): boolean;
  navigate(to: string, options?: NavigateOptions): void;
  /** `changed`: the tags and paths that have changed for all tabs, or null for anything. */
  revalidate(changed?: readonly string[] | null): void;
  /** Loads the page's data again and renders it even if it is the same, because something failed while it was shown. */
  retry(): void;
  /** No boundary caught this error, and React has unmounted the page. */
  lost(error: unknown): void;
  prefetch(to: string): void;
  /** Observes a link with `data-prefetch`; returns a function that stops it. */
  watch(link: HTMLAnchorElement): () => void;
  /** The page has added an entry of its own to the history. */
  entryAdded(): void;
  /** Sends a form to an action. Resolves with its outcome. */
  submit(press: Press): Promise<Posted>;
  /** Shows an alert at the edge of the window; returns a function that removes it. */
  say?(text: string): (() => void) | undefined;
  /** Loads the page's data again, in the background, unless that is happening already. */
  refresh?(): void;
  /** Loads the code that reads the data of other pages. */
  dataReader(): Promise<PageDataReader>;
  /** In tests: the address of the page, in place of the browser's own. */
  address?(): string;
  writeAddress?(address: string): void;
}

/** What becomes of a call while an earlier one of its fetcher is pending. A call that was sent is never aborted. */
export interface CallOptions {
  /**
   * `queue`: they are sent one after another. `replace`: of those that wait, only the newest is sent. `parallel`: they
   * are sent at once.
   */
  calls: "queue" | "replace" | "parallel";
  /** After a lost response it is sent again as soon as the server says that it has not received it. */
  retry: boolean;
}

/** One submit of a form, or one call of a fetcher. */
export interface Press {
  /** Address of the action. */
  href: string;
  form: FormData;
  /** The slot of a fetcher, in the format of `_form`. */
  slot?: string;
  /** The submitted form. Its submission is shown in the pending bar. */
  element?: HTMLFormElement;
  submitter?: HTMLElement | null;
  /** Whether the window asks the visitor about a lost response if no form on the page does. It does by default. */
  notices?: boolean | undefined;
  /** By default, calls are queued. */
  calls?: CallOptions["calls"] | undefined;
  /** By default, only calls that replace each other are sent again. */
  retry?: boolean | undefined;
  /** Path and search of the page that has it, if the action belongs to another page. */
  from?: string | undefined;
}

export interface NavigateOptions extends HrefOptions {
  /** Replaces the current entry in the browser's history. */
  replace?: boolean;
  /** Keeps the scroll position. */
  keepScroll?: boolean;
  /** Keeps the focus where it is, and announces nothing: for a change of the page that the visitor is working on. */
  keepFocus?: boolean;
  /** Shows the change as a view transition, if the browser supports it. */
  transition?: boolean;
  /** Opens the page as a dialog over the current one. */
  dialog?: boolean;
}

/** Called instead of navigating; calling `leave` navigates after all. */
export type Blocker = (leave: () => void) => void;

export type NavigationSnapshot =
  | { state: "idle" }
  /** `held`: the navigation waits for the lost connection. `startedAt` is in milliseconds of `performance.now()`. */
  | {
      state: "loading" | "submitting" | "leaving" | "held";
      target: string;
      startedAt: number;
      form?: FormData | undefined;
    };

/**
 * The pending navigation or form, and the active blockers. Hooks read it and register blockers; navigations respect
 * them.
 */
export class PendingState {
  readonly blockers: Set<Blocker> = new Set();
  /** Set by the code of `<Form>`: a page that is loaded has forms. */
  declare hasForms?: true;
  /** Set by the code of `useFetcher`: a page that is loaded may read the data of others. */
  declare readsData?: true;
  readonly #listeners = new Set<() => void>();
  #snapshot: NavigationSnapshot = { state: "idle" };

  readonly read = (): NavigationSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  write(snapshot: NavigationSnapshot): void {
    this.#snapshot = snapshot;
    for (const listener of this.#listeners) listener();
  }
}

/** One per document. On the server nothing is ever pending. */
export const pendingState: PendingState = new PendingState();

let running: BrowserRuntime | undefined;

/** Called by the browser's side before the first page is hydrated. */
export function setRuntime(runtime: BrowserRuntime): void {
  running = runtime;
}

/** Undefined on the server and before hydration. */
export function runtimeIfRunning(): BrowserRuntime | undefined {
  return running;
}

export function runtime(caller: string): BrowserRuntime {
  if (!running) throw pageErrors.notInBrowser(caller);
  return running;
}
