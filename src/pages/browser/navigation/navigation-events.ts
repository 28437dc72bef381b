import type { FullLoadReason, NavigationFacts, NavigationOutcome } from "#signals";
import type { BrowserLimits } from "../../limits.ts";

/** The types of a navigation: its states, events and effects. */
export type NavigationKind = Exclude<NavigationFacts["kind"], "submit">;

export type Source = Extract<NavigationOutcome, { kind: "committed" }>["data"];

/**
 * The fields of a response that the record needs. `plain`: the route's own modules suffice; otherwise an `_error` or
 * `_not-found` file is needed too.
 */
export interface AnswerSummary {
  route: string;
  status: number;
  /** Identifies headers of its document, if they are not the defaults. */
  policy?: string | undefined;
  plain: boolean;
}

export interface NavigationTarget {
  /** Absolute address with search and hash. */
  to: string;
  how: NavigationKind;
  manner?: Presentation;
  /** The visitor requested it by a click, a key or a step in the history, as opposed to a script. */
  userInitiated?: boolean;
}

/** How the page change is presented; the record only passes it on. */
export interface Presentation {
  keepScroll?: boolean;
  keepFocus?: boolean;
  transition?: boolean;
  dialog?: boolean;
}

export interface ActiveNavigation {
  id: number;
  target: NavigationTarget;
  startedAt: number;
  /** The limit counts from the first click, over all redirects. */
  capAt: number;
  redirects: number;
}

export interface Loading<Page> extends ActiveNavigation {
  kind: "loading";
  lastByteAt: number;
  codeDueAt: number;
  code: "loading" | "ready";
  /** Result of a probe that is sent before the deadline, so that the deadline knows whether a full load can succeed. */
  reach: "unknown" | "pending" | "reachable" | "unreachable";
  /** When a pending probe counts as unanswered. */
  reachDueAt: number;
  page?: Page;
  source?: Source;
}

/** The connection broke or a deadline passed: a probe checks whether the origin responds at all. */
interface Probing extends ActiveNavigation {
  kind: "probing";
  reason: FullLoadReason;
  dueAt: number;
}

/**
 * The browser loads the document. A download or a 204 never leaves this page, so it becomes usable again at `dueAt`.
 */
interface Leaving extends ActiveNavigation {
  kind: "leaving";
  dueAt: number;
}

/** The server is unreachable. The page stays, and the navigation restarts once the server responds. */
export interface Held extends ActiveNavigation {
  kind: "held";
  tries: number;
  probing: boolean;
  /** Time of the next probe, or deadline of the pending one. */
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
  /** `joined`: a prefetch failed. A click does not adopt that failure; it sends one request of its own. */
  | { kind: "data-failed"; id: number; reason: FullLoadReason; joined?: boolean }
  | { kind: "code-ready"; id: number }
  | { kind: "code-failed"; id: number; reason: FullLoadReason }
  | { kind: "probed"; id: number; reachable: boolean }
  | { kind: "tick" }
  | { kind: "escape" }
  /** Another navigation starts once the browser has returned to the entry of the page on screen. */
  | { kind: "set-aside" }
  /** The browser is online again, or the visitor pressed Retry. */
  | { kind: "retry" }
  /** `pagehide`: none of this code runs after it. */
  | { kind: "page-left" }
  /** `pageshow` from the back/forward cache. */
  | { kind: "page-returned" };

export type Effect<Page> =
  | { kind: "begin"; id: number; target: NavigationTarget }
  /** From the kept pages, the prefetch cache, a running prefetch, or the server. `refetch`: from the server only. */
  | { kind: "get-page"; id: number; target: NavigationTarget; refetch: boolean }
  | { kind: "load-code"; id: number; to: string; page?: Page }
  | { kind: "probe"; id: number }
  /** Stops the data request of this navigation. */
  | { kind: "abort"; id: number }
  /** Stops the document load that the browser has started. */
  | { kind: "stop-load" }
  | { kind: "commit"; id: number; target: NavigationTarget; page: Page; source: Source }
  | { kind: "full-load"; target: NavigationTarget; reason: FullLoadReason }
  | { kind: "show-error"; id: number; target: NavigationTarget; reason: string }
  | { kind: "connection"; state: "lost" | "back" }
  | { kind: "ended"; id: number; outcome: NavigationOutcome };

/** What `step` needs to know from outside. The functions change nothing. */
export interface NavigationRules {
  limits: BrowserLimits;
  judge(to: string): "page" | "foreign" | "unknown";
  /** The policy of this document: a page of another one needs a document of its own. */
  policy?: string | undefined;
  /** The loop guard: false when this full load was tried too often lately. */
  mayFullLoad(target: NavigationTarget, reason: FullLoadReason): boolean;
}

export interface StepResult<Page> {
  state: NavigationState<Page>;
  effects: Effect<Page>[];
}
