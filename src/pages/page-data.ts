import type { ErrorStatus, FormOutcome, Params } from "./view.ts";

/**
 * The page-data answer, line by line (both sides). Each line is one JSON value; an empty line is a heartbeat.
 *
 *   {"build":"…","route":"/orders/[id]","fresh":30000,"expires":300000,"tag":"…"}     the preamble, at once
 *                                                                                     a heartbeat each second while data is loading
 *   {"kind":"page","status":200,"params":{"id":"7"},"data":[null,{…}]}                the answer
 *   {"late":1,"value":…}  or  {"late":1,"digest":"…"}                                 promises inside the data, as they settle
 *   {"kind":"end"}                                                                    without it the body was cut
 *
 * Values inside `data`, `form.result` and `value` are in the tagged format of `tagged-json.ts`.
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
export type Answer =
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
 * The page's first data lies in the document in a script of this id, in the same lines: preamble, answer, and the way back that the document shows while
 * scripts do not run yet, where it shows one.
 */
export const hydrationElementId = "holdfast-page";

/** Late values in a document arrive as calls of this global with the text of a `Late` line; calls before the reader is there are kept in an array of the same name. */
export const lateGlobal = "__holdfast_late";

/** Added to a page's path, with the action's name behind it: `/orders/7/_action/rename`. Its answer as page data is at that path + `/_data`. */
export const actionMarker = "/_action/";
