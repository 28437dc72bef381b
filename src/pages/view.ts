/**
 * What a visitor is shown for an address: the one shape that the server renders, the data answer carries and the browser commits.
 * `folders` are the folders whose files apply, from the root inwards. `data` has one value per folder (`undefined` where a folder loads
 * nothing) and, last, the page's own. `boundary` is an index into `folders`: the folder whose `_error` or `_not-found` file is shown
 * inside its layout; -1 is the built-in page, without any layout.
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
    };

/** 400: the search or the body was not understood. 401, 403: a guard refused. 413, 415: a form was not taken. 5xx: something broke, or took too long. */
export type ErrorStatus = 400 | 401 | 403 | 413 | 415 | 500 | 503 | 504;

export type Params = Readonly<Record<string, string>>;

/** What an action left behind for the page to show: field errors with the values kept, or its result. */
export interface FormOutcome {
  action: string;
  outcome:
    | { kind: "invalid"; fields: FieldErrors; form: readonly string[]; values: FieldValues }
    | { kind: "done"; result: unknown };
}

export type FieldErrors = Readonly<Record<string, readonly string[]>>;
export type FieldValues = Readonly<Record<string, string | readonly string[]>>;
