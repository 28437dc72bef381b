import * as pageErrors from "../errors.ts";
import type { Posted } from "./slots.ts";

/**
 * What the pages of a running application can ask of the browser's part. `navigate` and its kin are plain functions, so
 * there is one per document.
 */
export interface BrowserRuntime {
  isPage(href: string): boolean;
  navigate(to: string, options?: NavigateOptions): void;
  revalidate(): void;
  /** Loads the page's data again and renders it, even if it is the same: something failed while it was shown. */
  retry(): void;
  /** Nothing caught this error and the page is gone from the screen. */
  lost(error: unknown): void;
  prefetch(to: string): void;
  /** Watches a link that asked for it; returns how to stop. */
  watch(link: HTMLAnchorElement): () => void;
  /** Sends a form to an action. Resolves when it has ended. */
  submit(press: Press): Promise<Posted>;
}

/** One press on the button of a form, or one call of a fetcher. */
export interface Press {
  /** Address of the action. */
  href: string;
  form: FormData;
  /** The fetcher, as `_form` names forms. */
  slot?: string;
  /** Where a form was pressed. The window shows that it is being sent. */
  element?: HTMLFormElement;
  submitter?: HTMLElement | null;
  /** The window asks the visitor where the answer is lost: nothing on the page does. */
  notices?: boolean;
}

export interface NavigateOptions {
  /** Takes the place of the entry in the browser's history. */
  replace?: boolean;
  /** Leaves the page scrolled as it is. */
  keepScroll?: boolean;
  /** Shows the change as a view transition, where the browser can. */
  transition?: boolean;
}

/** Called instead of leaving; calling `leave` leaves after all. */
export type Blocker = (leave: () => void) => void;

export type NavigationSnapshot =
  | { state: "idle" }
  /**
   * `held`: the connection is lost and the navigation waits for it. `startedAt` in milliseconds, as `performance.now()`
   * counts.
   */
  | {
      state: "loading" | "submitting" | "leaving" | "held";
      target: string;
      startedAt: number;
      form?: FormData | undefined;
    };

/** What is pending, and which blockers are set. Hooks read and fill it; navigations respect it. */
export class PendingState {
  readonly blockers: Set<Blocker> = new Set();
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

/** One for the document. On the server nothing is ever pending. */
export const pendingState: PendingState = new PendingState();

let running: BrowserRuntime | undefined;

/** Called by the browser's part before the first page becomes alive. */
export function setRuntime(runtime: BrowserRuntime): void {
  running = runtime;
}

/** Undefined on the server, and before the page is alive. */
export function runtimeIfRunning(): BrowserRuntime | undefined {
  return running;
}

export function runtime(asked: string): BrowserRuntime {
  if (!running) throw pageErrors.notInBrowser(asked);
  return running;
}
