import type { FullLoadReason, NavigationFacts, NavigationOutcome } from "#signals";
import type { BrowserLimits } from "../../limits.ts";

/**
 * The words in which a navigation is spoken of: the states it can be in, what can happen to it, and what is to be done
 * about it.
 */
export type NavigationKind = Exclude<NavigationFacts["kind"], "submit">;

export type Source = Extract<NavigationOutcome, { kind: "committed" }>["data"];

/**
 * What an answer asks to be shown. `plain`: the route's own modules suffice; else an `_error` or `_not-found` file is
 * needed too.
 */
export interface AnswerSummary {
  route: string;
  status: number;
  plain: boolean;
}

export interface NavigationTarget {
  /** Absolute address with search and hash. */
  to: string;
  how: NavigationKind;
  manner?: Presentation;
  /** The visitor asked for it, by a click, a key or a step in the history; not a script that runs by itself. */
  asked?: boolean;
}

/** NavigationKind the change is shown; the record only carries it along. */
export interface Presentation {
  keepScroll?: boolean;
  transition?: boolean;
}

export interface ActiveNavigation {
  id: number;
  target: NavigationTarget;
  startedAt: number;
  /** The visitor's patience counts from the first click, over all redirects. */
  capAt: number;
  redirects: number;
}

export interface Loading<Page> extends ActiveNavigation {
  kind: "loading";
  lastByteAt: number;
  codeDueAt: number;
  code: "loading" | "ready";
  /** Asked ahead of a deadline, so that at the deadline it is known whether a full load has anywhere to go. */
  reach: "unknown" | "asked" | "reachable" | "unreachable";
  /** When a probe that was asked counts as unanswered. */
  reachDueAt: number;
  page?: Page;
  source?: Source;
}

/** The connection broke or the deadline passed: is the origin there at all? */
interface Probing extends ActiveNavigation {
  kind: "probing";
  reason: FullLoadReason;
  dueAt: number;
}

/** Handed over to the browser. A download or a 204 never leaves this page, so it becomes usable again at `dueAt`. */
interface Leaving extends ActiveNavigation {
  kind: "leaving";
  dueAt: number;
}

/** The server cannot be reached. The page stays; the navigation restarts once it can. */
export interface Held extends ActiveNavigation {
  kind: "held";
  tries: number;
  probing: boolean;
  /** Of the next try, or of the answer to the one under way. */
  dueAt: number;
}

export type NavigationState<Page> =
  | { kind: "idle"; nextId: number }
  | ((Loading<Page> | Probing | Leaving | Held) & { nextId: number });

export type NavigationEvent<Page> =
  | { kind: "started"; target: NavigationTarget }
  | { kind: "alive"; id: number }
  | { kind: "answered"; id: number; page: Page; source: Source }
  | { kind: "redirected"; id: number; to: string }
  /** `joined`: it was a prefetch that failed. A click never inherits that; it asks once itself. */
  | { kind: "data-failed"; id: number; reason: FullLoadReason; joined?: boolean }
  | { kind: "code-ready"; id: number }
  | { kind: "code-failed"; id: number; reason: FullLoadReason }
  | { kind: "probed"; id: number; reachable: boolean }
  | { kind: "tick" }
  | { kind: "escape" }
  /** Another navigation is about to begin, once the browser has come back to the entry of the page that is shown. */
  | { kind: "set-aside" }
  /** The browser says it is online again, or the visitor pressed Retry. */
  | { kind: "retry" }
  /** `pagehide`: nothing of ours runs after it. */
  | { kind: "page-left" }
  /** `pageshow` out of the back/forward cache. */
  | { kind: "page-returned" };

export type Effect<Page> =
  | { kind: "begun"; id: number; target: NavigationTarget }
  /** From the kept pages, the prefetch cache, a running prefetch, or the server. `ask`: from the server only. */
  | { kind: "get-page"; id: number; target: NavigationTarget; ask: boolean }
  | { kind: "load-code"; id: number; to: string; page?: Page }
  | { kind: "probe"; id: number }
  /** Stops the data request of this navigation. */
  | { kind: "abort"; id: number }
  /** Stops the document load that was handed to the browser. */
  | { kind: "stop-load" }
  | { kind: "commit"; id: number; target: NavigationTarget; page: Page; source: Source }
  | { kind: "full-load"; target: NavigationTarget; reason: FullLoadReason }
  | { kind: "show-error"; id: number; target: NavigationTarget; reason: string }
  | { kind: "connection"; state: "lost" | "back" }
  | { kind: "ended"; id: number; outcome: NavigationOutcome };

/** What `step` must know of the world. Asking changes nothing. */
export interface NavigationRules {
  limits: BrowserLimits;
  judge(to: string): "page" | "foreign" | "unknown";
  /** The loop guard: false when this full load has been tried too often just now. */
  mayFullLoad(target: NavigationTarget, reason: FullLoadReason): boolean;
}

export interface StepResult<Page> {
  state: NavigationState<Page>;
  effects: Effect<Page>[];
}
