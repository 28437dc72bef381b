/**
 * What a visitor is shown for an address: the one shape that the server renders, the data answer carries and the browser commits.
 * `data` has one value per folder of the route (in the order of `RouteEntry.folders`; `undefined` where a folder loads nothing) and, last, the page's own.
 * `boundary` is an index into that same list of folders: the folder whose `_error` or `_not-found` file is shown inside its layout; -1 is the built-in page, without any layout.
 */
export type View =
  | { kind: "page"; status: number; route: number; params: Params; data: readonly unknown[]; form?: FormOutcome }
  /** `route` is -1 for an address that no route answers; then `folders` of the root apply. */
  | { kind: "not-found"; status: 404; route: number; params: Params; data: readonly unknown[]; boundary: number }
  | {
      kind: "error";
      status: 401 | 403 | 500 | 503 | 504;
      route: number;
      params: Params;
      data: readonly unknown[];
      boundary: number;
      digest?: string;
      side: "server" | "browser";
    };

export type Params = Readonly<Record<string, string>>;

/** What an action left behind for the page to show: field errors with the values kept, or its result. */
export interface FormOutcome {
  action: string;
  outcome:
    | {
        kind: "invalid";
        fields: Readonly<Record<string, readonly string[]>>;
        form: readonly string[];
        values: Readonly<Record<string, string | readonly string[]>>;
      }
    | { kind: "done"; result: unknown };
}
