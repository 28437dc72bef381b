import type { WrittenDefaults } from "#routes";

/**
 * What a visitor sees at an address: the one shape that the server renders, page data carries and the browser commits.
 * `folders` are the folders whose files apply, from the root inwards. `data` has one value per folder (`undefined` if a
 * folder loads nothing), then the page's own and, if the page has a schema for its address, its `TypedAddress`.
 * `boundary` is an index into `folders`: the folder whose `_error` or `_not-found` file is shown inside its layout; -1
 * is the built-in page, without any layout.
 */
export type View = ShownView & {
  /** Attributes of the document's `<html>` while this is shown. */
  html?: HtmlAttributes;
};

/** What the schemas of a page have read in its address. */
export interface TypedAddress {
  /** Of a page with a search schema. */
  search?: unknown;
  /** Of a page with a schema for its parameters. */
  params?: unknown;
  /** The search of an address without one, as text by key: values that an address need not have. */
  defaults: WrittenDefaults;
}

/** Of a page with a schema. */
export function typedAddressOf({ data, folders }: View): TypedAddress | undefined {
  return data[folders.length + 1] as TypedAddress | undefined;
}

/** The language of a page. Without `dir` it is written from left to right. */
export interface HtmlAttributes {
  lang: string;
  dir?: "ltr" | "rtl";
}

type ShownView =
  | {
      kind: "page";
      status: number;
      route: number;
      params: Params;
      folders: readonly number[];
      data: readonly unknown[];
      form?: FormOutcome;
      keeps?: PageKeeps;
      digest?: undefined;
    }
  /** `route` is -1 for an address that no route matches. */
  | {
      kind: "not-found";
      status: number;
      route: number;
      params: Params;
      folders: readonly number[];
      data: readonly unknown[];
      boundary: number;
      form?: FormOutcome;
      digest?: undefined;
    }
  | {
      kind: "error";
      status: number;
      route: number;
      params: Params;
      folders: readonly number[];
      data: readonly unknown[];
      boundary: number;
      form?: FormOutcome;
      digest?: string | undefined;
      side: "server" | "browser";
      /** Set if a page was unreachable, as opposed to a failure of its code. */
      reason?: "loop" | "redirect-loop" | undefined;
    };

/**
 * 400: the search or the body is invalid. 401, 403: a guard refused. 413, 415: a form was refused. 5xx: something
 * failed or took too long.
 */
export type ErrorStatus = 400 | 401 | 403 | 413 | 415 | 500 | 503 | 504;

export type Params = Readonly<Record<string, string>>;

/** The actions of a page that have `keeps`: a browser stores what it sends to them until it knows the outcome. */
export interface PageKeeps {
  actions: readonly string[];
  /** Stamp of the visitor. Absent in a page that caches may give to others: then only a person sends it again. */
  visitor?: string;
  /** How long after sending a later visit may send it again by itself. */
  hours: number;
}

/** The outcome of a sent form, for that form to show. */
export interface FormOutcome {
  /**
   * The form or fetcher: the action's name, a space, the instance. Only the name if the post did not contain a slot.
   */
  slot: string;
  outcome: SubmissionOutcome | EditedRows;
}

/** A row of a list was added or removed. Nothing was sent to the action. */
export interface EditedRows {
  kind: "edited";
  values: FieldValues;
}

export type SubmissionOutcome =
  | { kind: "done"; result: unknown }
  /** The schema or the action refused it. `values` is what was typed. */
  | {
      kind: "invalid";
      fields: FieldErrors;
      form: readonly string[];
      values: FieldValues;
      /** Set if there were too many attempts. */
      retryAfterSeconds?: number;
    }
  /** A path of this origin, or an absolute http(s) address that needs a full load. */
  | { kind: "redirected"; to: string }
  /** `values` only in documents: a page with scripts still has what was typed. */
  | {
      kind: "failed";
      status: FailedStatus;
      why?: FailedWhy;
      digest?: string;
      /** The server has kept what was sent, and it need not be sent again. */
      kept?: true;
      /** What the visitor reads instead of the usual sentences. */
      message?: string;
      values?: FieldValues;
    };

export type FailedStatus = ErrorStatus | 404 | 409;

/** Why a submission was not run although nothing failed. */
export type FailedWhy =
  /** 409: it arrived after its sender was informed that it had not arrived. */
  | "not-received"
  /** 409: another user has signed in since it was sent. */
  | "other-visitor"
  /** 409: an earlier attempt may have run. Only a person may send it again. */
  | "unknown"
  /** 504: an earlier attempt is still running. */
  | "still-running"
  /** 503: it may run only if submissions are remembered, and that is impossible now. */
  | "no-memory";

export type FieldErrors = Readonly<Record<string, readonly string[]>>;
export type FieldValues = Readonly<Record<string, string | readonly string[]>>;
