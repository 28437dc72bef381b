import * as pageErrors from "../errors.ts";
import type { FormOutcome } from "../view.ts";

/** What the pages of a running application can ask of the browser's part. `navigate` and its kin are plain functions, so there is one per document. */
export interface BrowserRuntime {
  isPage(href: string): boolean;
  navigate(to: string, options?: NavigateOptions): void;
  revalidate(): void;
  prefetch(to: string): void;
  /** Watches a link that asked for it; returns how to stop. */
  watch(link: HTMLAnchorElement): () => void;
  /** Posts to an action as a navigation. False when the address is no action of ours, so that the browser posts it. */
  submit(action: string, form: FormData): boolean;
  /** Posts to an action and stays where it is. */
  post(action: string, form: FormData): Promise<Posted>;
  /** Asks `blocker` before the visitor leaves the page; returns how to stop asking. */
  block(blocker: Blocker): () => void;
  subscribe(listener: () => void): () => void;
  snapshot(): NavigationSnapshot;
}

export interface NavigateOptions {
  /** Takes the place of the entry in the browser's history. */
  replace?: boolean;
  /** Leaves the page scrolled as it is. */
  keepScroll?: boolean;
  /** Shows the change as a view transition, where the browser can. */
  transition?: boolean;
}

/** What became of a form that was posted without navigating. */
export type Posted = FormOutcome["outcome"] | { kind: "redirected"; to: string } | { kind: "failed"; digest?: string };

/** Called instead of leaving; calling `leave` leaves after all. */
export type Blocker = (leave: () => void) => void;

export type NavigationSnapshot =
  | { state: "idle" }
  /** `held`: the connection is lost and the navigation waits for it. `startedAt` in milliseconds, as `performance.now()` counts. */
  | { state: "loading" | "submitting" | "leaving" | "held"; target: string; startedAt: number; form?: FormData };

let running: BrowserRuntime | undefined;

/** Called once, by the browser's part, before the first page becomes alive. */
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
