import type { TextRule } from "./judge-event.ts";

/** What ends a request or a navigation as planned. None of it went wrong. */
export const frameworkSignals: readonly TextRule[] = [
  {
    name: "abort",
    pattern:
      /^AbortError: (?:This operation was aborted|The operation was aborted|signal is aborted without reason|The user aborted a request|Fetch is aborted|BodyStreamBuffer was aborted|$)/,
    origin: "a request that was given up: the visitor went elsewhere, or left",
    example: "AbortError: This operation was aborted",
  },
  {
    name: "view-transition-skipped",
    pattern:
      /^(?:AbortError|InvalidStateError|TimeoutError): (?:Transition was (?:skipped|aborted)|Skipped ViewTransition)/,
    origin: "an animation between pages that a newer navigation cut short",
    example: "AbortError: Transition was skipped",
  },
  {
    name: "suspense",
    pattern: /^Error: Suspense Exception: This is not a real error/,
    origin: "how React waits for data; seen only by code that catches everything",
    example: "Error: Suspense Exception: This is not a real error! It's an implementation detail",
  },
  {
    name: "outcome",
    pattern: /captured as (?:exception|promise rejection) with keys: ends$/,
    origin:
      "redirect, not-found and refusal are thrown as objects with this one key, caught by the framework and meant by nobody else",
    example: "Error: Object captured as exception with keys: ends",
  },
];
