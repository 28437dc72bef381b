import type { TextRule } from "./text-rule.ts";

/** Values that end a request or a navigation as planned. None of them is an error. */
export const frameworkSignals: readonly TextRule[] = [
  // A request that was aborted: the visitor navigated or left.
  {
    name: "abort",
    pattern:
      /^AbortError: (?:This operation was aborted|The operation was aborted|signal is aborted without reason|The user aborted a request|Fetch is aborted|BodyStreamBuffer was aborted|$)/,
  },
  // A view transition that a newer navigation skipped.
  {
    name: "view-transition-skipped",
    pattern:
      /^(?:AbortError|InvalidStateError|TimeoutError): (?:Transition was (?:skipped|aborted)|Skipped ViewTransition)/,
  },
  // React suspends by throwing; only code that catches everything sees it.
  { name: "suspense", pattern: /^Error: Suspense Exception: This is not a real error/ },
  // Redirect, not-found and refusal are thrown as objects with this one key, and caught by the framework.
  { name: "outcome", pattern: /captured as (?:exception|promise rejection) with keys: ends$/ },
];
