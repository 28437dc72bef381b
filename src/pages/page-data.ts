import type { FormOutcome, HtmlAttributes, PageKeeps, Params, SubmissionOutcome } from "./view.ts";

/**
 * The page-data response, line by line (both sides). Each line is one JSON value; an empty line is a heartbeat.
 *
 *   {"build":"…","route":"/orders/[id]","fresh":30000,"expires":300000,"tag":"…"}   the preamble, at once
 *                                                                                   heartbeats while data is loading
 *   {"kind":"page","status":200,"params":{"id":"7"},"data":[null,{…}]}              the response
 *   {"late":1,"value":…}  or  {"late":1,"digest":"…"}                               promises in the data that settle
 *   {"kind":"end"}                                                                  without it the body was cut
 *
 * The response to an action has one more line. It has a page line only if `ran` is true, the outcome is not
 * `redirected` and the form is on the page itself (`fromField`):
 *
 *   {"build":"…","route":"/orders/[id]",…}                                          the preamble
 *   {"kind":"outcome","v":1,"slot":"rename 7","outcome":{…},"ran":true,…}           the outcome, before any load runs
 *                                                                                   heartbeats while the loads run
 *   {"kind":"page",…} or {"kind":"error",…} or {"kind":"redirect",…}                the page as it is now
 *   {"kind":"end"}
 *
 * The outcome is sent before the page loads: an error line after `done` means that only the page could not be loaded.
 *
 * Values inside `data`, `outcome`, `form.outcome` and `value` are in the tagged format of `tagged-json.ts`.
 */
export const pageDataType = "application/vnd.holdfast.page-data";

/** Appended to a page's path; the data of `/` is at `/_data`. */
export const pageDataSuffix = "/_data";

/**
 * Before the suffix, followed by the keys of the loads whose data the browser has, with `~` between them; an empty
 * one for each load of which it has none: `/orders/7/_keys/3vYd…~~9kQa…/_data`. The response leaves out data that would
 * be the same.
 */
export const keysMarker = "/_keys/";

/** The same in a folder of files: a name by which every file server knows a type. */
export const pageDataFile = "/_data.json";

export interface Preamble {
  build: string;
  /** The route's id as an address of the host, or null when no route matches. */
  route: string | null;
  fresh: number;
  expires: number;
  /**
   * Changes when the visitor signs in or out; part of every cache key. Missing in page data that the build has made: it
   * says nothing about the visitor.
   */
  tag?: string;
}

/**
 * The response line, with `data` still in tagged form. Its shapes are those of `View`, with the route in the preamble.
 * `policy` identifies the headers that a browser applies to a whole document, if they are not the defaults: a page of
 * another policy needs a document of its own. `html` has the attributes of `<html>`: the page's language. `depends`:
 * the tags and the path of a page whose loads all have tags. `keys` is parallel to `data`, up to the last load that has
 * a key. `same` has the indexes of data that is left out: `null` replaces what the browser has.
 */
export type AnswerLine = AnswerOfKind & {
  html?: HtmlAttributes;
  depends?: readonly string[];
  keys?: readonly (LoadKey | null)[];
  same?: readonly number[];
};

/** Changes when the data of the load may be another. With it, the tags of the load and the path of the page. */
export type LoadKey = readonly [key: string, ...depends: string[]];

type AnswerOfKind =
  | {
      kind: "page";
      status: number;
      params: Params;
      data: readonly unknown[];
      form?: FormOutcome;
      keeps?: PageKeeps;
      policy?: string;
    }
  /** `folders` only if no route matches: indexes into the table's folders along the path. */
  | {
      kind: "not-found";
      status: number;
      params: Params;
      data: readonly unknown[];
      boundary: number;
      folders?: readonly number[];
      form?: FormOutcome;
      policy?: string;
    }
  | {
      kind: "error";
      status: number;
      params: Params;
      data: readonly unknown[];
      boundary: number;
      folders?: readonly number[];
      form?: FormOutcome;
      policy?: string;
      digest?: string;
    }
  /** `to` is a path of this origin, or an absolute http(s) address that needs a full load. */
  | { kind: "redirect"; status: number; to: string; replace?: true };

export type Late = { late: number; value: unknown } | { late: number; digest: string | null };

export type End = { kind: "end" };

/**
 * Id of the script that holds the page's first data in the document, in the same lines: preamble, response, the back
 * link that the document shows before hydration, and the page's address if the document has that of another one's
 * action. The last two may be empty.
 */
export const hydrationElementId = "holdfast-page";

/**
 * Late values in a document arrive as calls of this global's `push` with the text of a `Late` line. Before the reader
 * has loaded it is a plain array.
 */
export const lateGlobal = "__holdfast_late";

/**
 * The outcome of one submission. `v` is a contract between builds: a page of an older build reads the outcome that a
 * newer server writes. Fields may be added; a change of meaning needs another number.
 */
export interface OutcomeLine {
  kind: "outcome";
  v: 1;
  /** The form or fetcher that was sent: the posted `_form`, or else the action's name. */
  slot: string;
  /** In tagged form. */
  outcome: SubmissionOutcome;
  /**
   * Whether something may have changed: false if the handler was never called, and for an action that declares
   * `changesNothing`.
   */
  ran: boolean;
  /** Whether the response changes the visitor's session: it sets or deletes a cookie of the application. */
  session: boolean;
  /** The tags and paths that the action has changed. Missing if it may have changed anything. */
  changed?: readonly string[];
  /** False if no page follows, because the action has changed nothing of it. */
  page?: false;
  /** Which processes remember it: every one that could be asked, only those of this machine, or none. */
  memory: SubmissionMemoryReach;
}

export type SubmissionMemoryReach = "shared" | "local" | "none";

/**
 * The response to `POST <address of the action>/_outcome`, as JSON. The body is a form with `_key`, `_attempt` and,
 * from a browser that no longer waits for its response, `cancel`. No handler runs. With `cancel`, an unknown attempt is
 * refused if it arrives later. After a day or more the result may be `not-seen` although the submission arrived: by
 * then it is forgotten.
 */
export type OutcomeStatus =
  | { state: "running" }
  /**
   * `not-seen`: this attempt has arrived at none of the processes that could have accepted it. `cannot-say`: it may
   * have arrived; its process has crashed, it was forgotten, or this machine does not know what others have accepted.
   */
  | { state: "not-seen" | "cannot-say"; gone?: ActionGone }
  /** The question has a stamp (`visitorField`), and it is that of another visitor. */
  | { state: "other-visitor" }
  /** Sent with the cookies of the original response. */
  | ({ state: "ended" } & OutcomeLine);

/** This build has no such action, or no such page. */
export interface ActionGone {
  /** Of the event that tells the operator. Only for a question with a stamp, and without `reportedField`. */
  digest?: string;
}

/** Appended to the address of an action: asks for the outcome of a submission. */
export const outcomeSuffix = "/_outcome";

/** The slot: the action's name as its address has it, a space, the instance of the form. */
export const slotField = "_form";
/** Identifies the submission: 22 characters of base64url, 128 random bits. The same for all its attempts. */
export const keyField = "_key";
/** How often a person has sent it. 1 if it is missing. */
export const attemptField = "_attempt";

/** `visitor` of `PageKeeps`, from a browser that sends again what an earlier visit has sent. */
export const visitorField = "_visitor";

/** Rows of a list, as in `form-rows.ts`: a hidden field for each changed list, and the button that changes one. */
export const rowsField = "_rows";

/** The page that has the form, as path and search, if the action belongs to another page. */
export const fromField = "_from";

/** The framework's own fields of a form, removed before the schema validates the rest. */
export const ownFields: Readonly<Record<"slot" | "key" | "attempt" | "visitor" | "from", string>> = {
  slot: slotField,
  key: keyField,
  attempt: attemptField,
  visitor: visitorField,
  from: fromField,
};

/** A field of the request for an outcome, with any value. */
export const cancelField = "cancel";
/** The same, from a browser that has a digest of `ActionGone` already. */
export const reportedField = "reported";

/** Identifies the submission if the body is JSON. */
export const keyHeader = "Idempotency-Key";

/**
 * A cookie that scripts can read. Responses to forms posted without script set it once their handler has run:
 * milliseconds since 1970, then `s` if the visitor's session changed. Other tabs compare it with the value they saw
 * last.
 */
export const changedCookie = "holdfast-changed";

/**
 * A header of API routes: the tags and paths that the route has changed, each encoded as a part of an address, with
 * commas between them. Missing if it may have changed anything.
 */
export const changedHeader = "Holdfast-Changed";

/** A cookie that scripts can write: the language whose pages the visitor has chosen by a link. */
export const languageCookie = "holdfast-language";

/** A year. */
export const languageCookieSeconds = 31_536_000;

/** As long as a prefetched page may be shown. */
export const changedCookieSeconds = 300;

/**
 * A cookie that scripts can read: the key of the last form that the browser itself posted and that was answered. The
 * document that posted it reads the cookie when it is left, to know whether the response has arrived.
 */
export const answeredCookie = "holdfast-answered";

/** The document is left as soon as the response arrives, so this only has to cover a slow device. */
export const answeredCookieSeconds = 60;

/**
 * Appended to a page's path and followed by the action's name: `/orders/7/_action/rename`. That of a layout's action
 * has the layout before it: `/orders/7/_action/orders/_layout/rename`. Its page-data response is at that path +
 * `/_data`.
 */
export const actionMarker = "/_action/";
