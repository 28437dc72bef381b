import type { Freshness } from "../page-freshness.ts";

/** The words of submissions: the states that one can be in, what can happen to it, and what is to be done about it. */

/** As much of an outcome as the record decides by; the rest is carried along. */
export type SubmissionEnd = { kind: "done" | "invalid" | "failed" } | { kind: "redirected"; to: string };

/** The visitor has given it up, and it is certain that it was not received, or that this cannot be known. */
export type Discarded = { kind: "discarded" };

export interface Submission<Outcome extends SubmissionEnd = SubmissionEnd> {
  id: number;
  /** The form or fetcher that it belongs to. */
  slot: string;
  /**
   * What is sent, as text: the same twice is one. Empty where it is not known any more; then it cannot be sent again.
   */
  body: string;
  /** The page in which it was pressed, as `Freshness.place` counts. */
  place: number;
  /** The clock at which the visitor pressed. */
  pressed: number;
  /** The clock at which it was last handed to the network; 0 before. */
  sent: number;
  /** How long its body may take to leave a slow device. */
  uploadMs: number;
  /** The visitor has said that it may be sent once more, when it can be. */
  consent: boolean;
  /** The visitor has given it up while it was unknown whether it was received. It ends once that is known. */
  unwanted: boolean;
  phase: Phase<Outcome>;
}

export type Phase<Outcome extends SubmissionEnd = SubmissionEnd> =
  | { kind: "waiting" }
  /** `asked`: it was silent for long, and the server was asked. `uploadedAt`: until then silence means little. */
  | { kind: "sending"; dueAt: number; capAt: number; uploadedAt: number; asked: boolean }
  /** The answer is lost. `paused`: the action is running, and the next question is due at `dueAt`. */
  | { kind: "asking"; dueAt: number; paused: boolean }
  /** The answer is lost, and so is the connection. */
  | { kind: "held"; dueAt: number }
  /** The answer is lost. `no`: the server has not seen it, and will not take it any more. `unknown`: it cannot say. */
  | { kind: "unsure"; received: "no" | "unknown" }
  /** The outcome is here. Its page is on its way, and is as of this clock. */
  | { kind: "loading"; outcome: Outcome; asOf: number; dueAt: number }
  /** The outcome is a redirect, and the visitor is being led there. */
  | { kind: "following"; outcome: Outcome };

export interface Submissions<Outcome extends SubmissionEnd = SubmissionEnd> {
  nextId: number;
  /** In the order in which they were pressed. */
  open: readonly Submission<Outcome>[];
}

export type SubmissionEvent<Outcome extends SubmissionEnd = SubmissionEnd> =
  | { kind: "pressed"; slot: string; body: string; uploadMs: number }
  /** It was sent by an earlier document of this tab, which has gone before it was answered. */
  | { kind: "resumed"; slot: string }
  | { kind: "alive"; id: number }
  /** `ran`: something may have changed. `page`: a page follows in the same answer. */
  | { kind: "answered"; id: number; outcome: Outcome; ran: boolean; session: boolean; page: boolean }
  /** The page of the answer is here and can be shown; or it cannot. */
  | { kind: "loaded"; id: number; ok: boolean }
  | { kind: "lost"; id: number }
  /** The answer to a question that found no outcome. `unreachable`: there was none. */
  | { kind: "told"; id: number; state: "running" | "not-seen" | "cannot-say" | "unreachable" }
  /** The browser says so, or the visitor pressed Retry. The server is asked; nothing is sent. */
  | { kind: "online" }
  /** The visitor says: send it, even if it is for the second time. */
  | { kind: "again"; id: number }
  | { kind: "discard"; id: number }
  /** The visitor goes elsewhere, or has ended a navigation. */
  | { kind: "went" | "arrived" | "stayed" }
  | { kind: "tick" };

export type SubmissionEffect<Outcome extends SubmissionEnd = SubmissionEnd> =
  | { kind: "send"; id: number }
  /**
   * Asks what became of it. `cancel`: the page no longer waits, so a request that has not arrived must not run later.
   */
  | { kind: "ask"; id: number; cancel: boolean }
  /** Stops listening to the answer. */
  | { kind: "abort"; id: number }
  /** Shows the page of its answer. */
  | { kind: "show"; id: number }
  | { kind: "navigate"; id: number; to: string }
  | { kind: "settled"; id: number; outcome: Outcome | Discarded }
  /**
   * What was fetched ahead goes and kept pages are in doubt, here and in the other tabs. `session`: kept pages go as
   * well.
   */
  | { kind: "forget"; session: boolean };

/** The submissions that are open, and what they mean for the page. */
export interface SubmissionsKnown<Outcome extends SubmissionEnd = SubmissionEnd> {
  state: Submissions<Outcome>;
  page: Freshness;
}

export interface SubmissionsStepped<Outcome extends SubmissionEnd = SubmissionEnd> extends SubmissionsKnown<Outcome> {
  effects: SubmissionEffect<Outcome>[];
}
