/**
 * What a visitor is shown for an address: the one shape that the server renders, the data answer carries and the
 * browser commits. `folders` are the folders whose files apply, from the root inwards. `data` has one value per folder
 * (`undefined` where a folder loads nothing) and, last, the page's own. `boundary` is an index into `folders`: the
 * folder whose `_error` or `_not-found` file is shown inside its layout; -1 is the built-in page, without any layout.
 */
export type View =
  | {
      kind: "page";
      status: number;
      route: number;
      params: Params;
      folders: readonly number[];
      data: readonly unknown[];
      form?: FormOutcome;
    }
  /** `route` is -1 for an address that no route answers. */
  | {
      kind: "not-found";
      status: 404;
      route: number;
      params: Params;
      folders: readonly number[];
      data: readonly unknown[];
      boundary: number;
    }
  | {
      kind: "error";
      status: ErrorStatus;
      route: number;
      params: Params;
      folders: readonly number[];
      data: readonly unknown[];
      boundary: number;
      digest?: string | undefined;
      side: "server" | "browser";
      /** Nothing broke by itself: a page could not be reached. */
      reason?: "loop" | "redirect-loop" | undefined;
    };

/**
 * 400: the search or the body was not understood. 401, 403: a guard refused. 413, 415: a form was not taken. 5xx:
 * something broke, or took too long.
 */
export type ErrorStatus = 400 | 401 | 403 | 413 | 415 | 500 | 503 | 504;

export type Params = Readonly<Record<string, string>>;

/** What became of the form that was sent, for that form to show. */
export interface FormOutcome {
  /**
   * Which form or fetcher: the action's name, a space, the instance. Only the name where what was posted did not say.
   */
  slot: string;
  outcome: SubmissionOutcome;
}

export type SubmissionOutcome =
  | { kind: "done"; result: unknown }
  /** The schema or the action refused it, with what was typed. */
  | {
      kind: "invalid";
      fields: FieldErrors;
      form: readonly string[];
      values: FieldValues;
      /** It was tried too often. */
      retryAfterSeconds?: number;
    }
  /** A path of this origin, or an absolute http(s) address that needs a full load. */
  | { kind: "redirected"; to: string }
  /** `values` only in documents: a page with scripts still has what was typed. */
  | { kind: "failed"; status: FailedStatus; why?: FailedWhy; digest?: string; values?: FieldValues };

export type FailedStatus = ErrorStatus | 404 | 409;

/** Why something was not run although nothing broke. */
export type FailedWhy =
  /** 409: it arrived after its sender had learned that it had not arrived. */
  | "not-received"
  /** 409: somebody else has signed in since it was sent. */
  | "other-visitor"
  /** 409: an earlier sending may have been done. Only a person may send it again. */
  | "unknown"
  /** 504: an earlier sending is still running. */
  | "still-running"
  /** 503: it may only run where submissions are remembered, and they cannot be. */
  | "no-memory";

export type FieldErrors = Readonly<Record<string, readonly string[]>>;
export type FieldValues = Readonly<Record<string, string | readonly string[]>>;
