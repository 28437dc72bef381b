/** Global in which the document's own script collects input until the code that handles it has loaded. */
export const inputGlobal = "__holdfast_input";

export interface EarlyInput {
  /** Fields into which the visitor has typed. */
  typed: Set<Element>;
  /** Forms that the browser itself posted, by name: the last of each. A post stops the response to the one before. */
  posted: Record<string, CarriedSubmission>;
  /** The field of the last input, or the form that was sent since. */
  last?: Element;
  /** Listens for `beforeunload` once something is typed into a form with `confirmLeave`. */
  ask(event: Event): void;
}

/** A form on its way to the server, as the next document of the tab needs it to ask for the outcome. */
export interface CarriedSubmission {
  /** Name of the slot. */
  name: string;
  /** Index of the form among those of its action. */
  nth: number;
  slot: string;
  /** Of the action. */
  address: string;
  /** The history entry from which it was sent. */
  entry: number;
  key: string;
  attempt: number;
  /** Wall-clock time. */
  pressedAt: number;
  /** Something was typed into its form after it was sent. */
  isEdited: boolean;
}

/** Key in the tab's `sessionStorage` of forms that are still without a response when a document is left. */
export const carriedKey = "holdfast-submissions";
