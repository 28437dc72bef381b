import type { LoadKey } from "../page-data.ts";
import type { FormOutcome, View } from "../view.ts";
import type { LoadedRoute } from "./load-route.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** The result of a page request, before anything is sent. */
export type Decision =
  | { kind: "view"; view: View; route: LoadedRoute; written: Written }
  | { kind: "redirect"; to: string; status: number };

/**
 * The data of a view as text. The result of a load is serialized at once, so that a value that cannot be sent fails as
 * part of its load.
 */
export interface Written {
  /** Parallel to the view's `data`. */
  data: readonly WrittenValue[];
  form?: string;
}

/** The outcome of an action for the page to show, and the same as text. */
export interface WrittenForm {
  form: FormOutcome;
  text: string;
}

export interface WrittenValue {
  text: string;
  /** Numbers of the promises inside, whose values are sent when they settle. */
  late: readonly number[];
  /** Of a load that has tags. */
  key?: LoadKey | undefined;
  /** The browser has this data already, so the load did not run. */
  isSame?: true;
}

/**
 * Everything that may set cookies has run: hook, guards, action. Only loading remains, during which the head of the
 * response may already be sent. Wrapped, because a promise inside a promise would be awaited with it.
 */
export type PendingDecision<Kind = Decision> =
  | { kind: "page"; decision: MaybePromise<Kind> }
  /** The request hook ended the request with a response of its own. */
  | { kind: "answered"; response: Response };
