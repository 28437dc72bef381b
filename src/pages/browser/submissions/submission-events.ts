import type { CallOptions } from "../../react/browser-runtime.ts";
import type { Freshness } from "../data/page-freshness.ts";

/** The fields of an outcome that the record needs; the rest is passed on. */
export type SubmissionEnd = { kind: "done" | "invalid" | "failed" } | { kind: "redirected"; to: string };

/** The visitor has discarded it, and either the server has not received it or that cannot be determined. */
export type Discarded = { kind: "discarded" };

export interface Submission<Outcome extends SubmissionEnd = SubmissionEnd> extends CallOptions {
  id: number;
  /** The form or fetcher it belongs to. */
  slot: string;
  /** The body as text, to recognize a repetition. Empty if it is no longer known; then it cannot be sent again. */
  body: string;
  /** The `Freshness.pageNumber` of the page it was sent from. */
  pageNumber: number;
  /** The clock when the visitor submitted it. */
  pressed: number;
  /** The clock of its last request; 0 before. */
  sent: number;
  /** How long a slow device may need to upload its body. */
  uploadMs: number;
  /** The visitor or `retry` has agreed to send it again once that is possible. */
  consent: boolean;
  /** The visitor has discarded it while it was unknown whether it was received. It ends once that is known. */
  unwanted: boolean;
  phase: Phase<Outcome>;
}

export type Phase<Outcome extends SubmissionEnd = SubmissionEnd> =
  | { kind: "waiting" }
  /** `queried`: nothing has arrived for long, and the server was asked. `uploadedAt`: until then silence is normal. */
  | { kind: "sending"; dueAt: number; capAt: number; uploadedAt: number; queried: boolean }
  /**
   * The response is lost. `runs`: the server has said that the action is running, and the visitor waits for its end.
   * `paused`: the server is asked again at `dueAt`.
   */
  | { kind: "querying"; dueAt: number; runs: boolean; paused: boolean }
  /** The response is lost, and the server is unreachable. */
  | { kind: "held"; dueAt: number }
  /**
   * The response is lost. `no`: the server has not received it, and will refuse it from now on. `unknown`: the server
   * cannot tell.
   */
  | { kind: "unsure"; received: "no" | "unknown" }
  /** The outcome has arrived. Its page, as of this clock, follows. */
  | { kind: "loading"; outcome: Outcome; asOf: number; dueAt: number }
  /** The outcome is a redirect whose navigation is pending. */
  | { kind: "following"; outcome: Outcome };

export interface Submissions<Outcome extends SubmissionEnd = SubmissionEnd> {
  nextId: number;
  /** In the order in which the visitor submitted them. */
  open: readonly Submission<Outcome>[];
}

export type SubmissionEvent<Outcome extends SubmissionEnd = SubmissionEnd> =
  | ({ kind: "pressed"; slot: string; body: string; uploadMs: number } & CallOptions)
  /**
   * An earlier document sent it and was left before the response. With a body it is sent again if the server has not
   * received it: its action has `keeps`, which the visitor may rely on.
   */
  | { kind: "resumed"; slot: string; body: string }
  | { kind: "alive"; id: number }
  /** `ran`: something may have changed, or only `names`. `page`: a page follows in the same response. */
  | {
      kind: "answered";
      id: number;
      outcome: Outcome;
      ran: boolean;
      session: boolean;
      page: boolean;
      names?: readonly string[] | undefined;
    }
  /** The page of the response has arrived: `ok` if it can be shown. */
  | { kind: "loaded"; id: number; ok: boolean }
  | { kind: "lost"; id: number }
  /** Result of a question without an outcome. `unreachable`: the server did not respond. */
  | { kind: "replied"; id: number; state: "running" | "not-seen" | "cannot-say" | "unreachable" }
  /** The browser is online again, or the visitor pressed Retry. The server is asked; nothing is sent. */
  | { kind: "online" }
  /** The visitor agrees to send it, even if that is the second time. */
  | { kind: "again"; id: number }
  | { kind: "discard"; id: number }
  /** The visitor started a navigation (`navigation-started`), or one has ended. */
  | { kind: "navigation-started" | "navigation-committed" | "navigation-abandoned" }
  | { kind: "tick" };

export type SubmissionEffect<Outcome extends SubmissionEnd = SubmissionEnd> =
  | { kind: "send"; id: number }
  /**
   * Asks the server for the outcome. `cancel`: the page no longer waits, so a request that arrives later must not run.
   */
  | { kind: "query"; id: number; cancel: boolean }
  /** Stops reading the response. */
  | { kind: "abort"; id: number }
  /** Shows the page of the response. */
  | { kind: "show"; id: number }
  | { kind: "navigate"; id: number; to: string }
  | { kind: "settled"; id: number; outcome: Outcome | Discarded }
  /** A newer call of its fetcher is sent instead. It has the outcome of that one. */
  | { kind: "replaced"; id: number; by: number }
  /**
   * Prefetched pages are dropped and kept pages are in doubt, in this and the other tabs. `session`: kept pages are
   * dropped too. `only`: what has changed, if it is known.
   */
  | { kind: "forget"; session: boolean; only?: { names: readonly string[]; since: number } };

/** The open submissions and the freshness of the page. */
export interface SubmissionsKnown<Outcome extends SubmissionEnd = SubmissionEnd> {
  state: Submissions<Outcome>;
  page: Freshness;
}

export interface SubmissionsStepped<Outcome extends SubmissionEnd = SubmissionEnd> extends SubmissionsKnown<Outcome> {
  effects: SubmissionEffect<Outcome>[];
}
