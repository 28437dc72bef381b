import type { FormOutcome, View } from "../view.ts";
import type { LoadedRoute } from "./application.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** What a request for a page comes to, before anything of it is sent. */
export type Decision =
  | { kind: "view"; view: View; route: LoadedRoute; written: Written }
  | { kind: "redirect"; to: string; status: number };

/**
 * The data of a view as text: what loads returned is written as soon as it is there, so that a value that cannot be
 * sent fails as part of its load.
 */
export interface Written {
  /** Parallel to the view's `data`. */
  data: readonly WrittenValue[];
  form?: string;
}

/** What an action left for the page to show, and the same as text. */
export interface WrittenForm {
  form: FormOutcome;
  text: string;
}

export interface WrittenValue {
  text: string;
  /** Numbers of the promises inside, whose values are sent when they settle. */
  late: readonly number[];
}

/**
 * Everything that may set cookies has run: hook, guards, action. What is left is loading, during which the head of an
 * answer may already be on its way. Wrapped, because a promise inside a promise would be awaited with it.
 */
export interface PendingDecision {
  decision: MaybePromise<Decision>;
}
