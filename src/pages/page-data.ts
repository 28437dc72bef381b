import type { ErrorStatus, FormOutcome, Params, SubmissionOutcome } from "./view.ts";

/**
 * The page-data answer, line by line (both sides). Each line is one JSON value; an empty line is a heartbeat.
 *
 *   {"build":"…","route":"/orders/[id]","fresh":30000,"expires":300000,"tag":"…"}   the preamble, at once
 *                                                                                   heartbeats while data is loading
 *   {"kind":"page","status":200,"params":{"id":"7"},"data":[null,{…}]}              the answer
 *   {"late":1,"value":…}  or  {"late":1,"digest":"…"}                               promises in the data that settle
 *   {"kind":"end"}                                                                  without it the body was cut
 *
 * The answer to an action has one line more. It has a page line only where `ran` is true and the outcome is not
 * `redirected`:
 *
 *   {"build":"…","route":"/orders/[id]",…}                                          the preamble
 *   {"kind":"outcome","v":1,"slot":"rename 7","outcome":{…},"ran":true,…}           the outcome, before any load runs
 *                                                                                   heartbeats while the loads run
 *   {"kind":"page",…} or {"kind":"error",…} or {"kind":"redirect",…}                the page as it is now
 *   {"kind":"end"}
 *
 * The outcome of an action is sent before its page loads: an error line behind `done` is a page that could not be
 * loaded.
 *
 * Values inside `data`, `outcome`, `form.outcome` and `value` are in the tagged format of `tagged-json.ts`.
 */
export const pageDataType = "application/vnd.holdfast.page-data";

/** Added to a page's path; `/` has its data at `/_data`. */
export const pageDataSuffix = "/_data";

export interface Preamble {
  build: string;
  /** Route id, or null when no route answers. */
  route: string | null;
  fresh: number;
  expires: number;
  /** Changes when the visitor signs in or out; part of every cache key. */
  tag: string;
}

/** The answer line. `data` still in tagged form. Shapes as in `View`, with the route known from the preamble. */
export type AnswerLine =
  | { kind: "page"; status: number; params: Params; data: readonly unknown[]; form?: FormOutcome }
  /** `folders` only where no route answers: indexes into the table's folders that lie on the way. */
  | {
      kind: "not-found";
      status: 404;
      params: Params;
      data: readonly unknown[];
      boundary: number;
      folders?: readonly number[];
    }
  | {
      kind: "error";
      status: ErrorStatus;
      params: Params;
      data: readonly unknown[];
      boundary: number;
      folders?: readonly number[];
      digest?: string;
    }
  /** `to` is a path of this origin, or an absolute http(s) address that needs a full load. */
  | { kind: "redirect"; status: number; to: string; replace?: true };

export type Late = { late: number; value: unknown } | { late: number; digest: string | null };

export type End = { kind: "end" };

/**
 * The page's first data lies in the document in a script of this id, in the same lines: preamble, answer, and the way
 * back that the document shows while scripts do not run yet, where it shows one.
 */
export const hydrationElementId = "holdfast-page";

/**
 * Late values in a document arrive as calls of this global with the text of a `Late` line; calls before the reader is
 * there are kept in an array of the same name.
 */
export const lateGlobal = "__holdfast_late";

/**
 * What became of one submission. `v` is a contract between builds: a page of an older build reads the outcome that a
 * newer server writes. Fields may be added; a change of meaning needs another number.
 */
export interface OutcomeLine {
  kind: "outcome";
  v: 1;
  /** The form or fetcher that was sent: the posted `_form`, or the action's name where there was none. */
  slot: string;
  /** In tagged form. */
  outcome: SubmissionOutcome;
  /**
   * Whether something may have changed: false where the handler was never called, and for an action that
   * `changesNothing`.
   */
  ran: boolean;
  /** Whether the answer changes who the visitor is: its cookies set or delete one of the application. */
  session: boolean;
  /**
   * How far the server remembers this submission: for every process that could be asked, only for those of this
   * machine, or not at all.
   */
  memory: SubmissionMemoryReach;
}

export type SubmissionMemoryReach = "shared" | "local" | "none";

/**
 * The answer to `POST <address of the action>/_outcome`, as JSON. The body is a form with `_key`, `_attempt` and, from
 * a browser that no longer waits for its answer, `cancel`. No handler runs. With `cancel` an attempt of which nothing
 * is known is refused if it arrives after all. A question that comes a day or more after the sending can be answered
 * `not-seen` although it arrived: by then it is forgotten.
 */
export type AskedOutcome =
  | { state: "running" }
  /** Nothing of this attempt has arrived at any process that could have taken it. */
  | { state: "not-seen" }
  /**
   * It may have arrived: its process has died, it was forgotten, or this machine does not know what others have taken.
   */
  | { state: "cannot-say" }
  /** With the cookies that its answer had. */
  | ({ state: "ended" } & OutcomeLine);

/** Added to the address of an action: asks what became of a submission. */
export const outcomeSuffix = "/_outcome";

/** The slot: the action's name, a space, the instance of the form. */
export const slotField = "_form";
/** Names the submission: 22 characters of base64url, 128 random bits. The same for all its attempts. */
export const keyField = "_key";
/** How often a person has sent it. 1 where it is missing. */
export const attemptField = "_attempt";

/** Fields of a form that are the framework's: taken off before the schema sees the rest. */
export const ownFields: Readonly<Record<"slot" | "key" | "attempt", string>> = {
  slot: slotField,
  key: keyField,
  attempt: attemptField,
};

/** A field of the question for an outcome, with any value. */
export const cancelField = "cancel";

/** Names the submission where the body is JSON. */
export const keyHeader = "Idempotency-Key";

/**
 * A cookie that scripts can read, set by the answers to forms that were posted without script once their handler has
 * run: milliseconds since 1970, then `s` if the visitor's session changed with it. Other tabs compare it with what they
 * saw last.
 */
export const changedCookie = "holdfast-changed";

/** As long as a prefetched page may be shown. */
export const changedCookieSeconds = 300;

/**
 * Added to a page's path, with the action's name behind it: `/orders/7/_action/rename`. Its answer as page data is at
 * that path + `/_data`.
 */
export const actionMarker = "/_action/";
