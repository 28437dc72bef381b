import type { WireEvent } from "../wire.ts";
import { classes } from "./classes.ts";
import { hasForeignFramesOnly } from "./foreign-frames.ts";
import { frameworkSignals } from "./framework-signals.ts";
import { noisyErrors } from "./noisy-errors.ts";

/**
 * One line of a table: errors whose text fits are left out, or put into a class. Above it stands where such errors come from, and why nobody can act on
 * them; what they look like is in the tests. Every browser loads the tables, so nothing else is in them.
 */
export interface TextRule {
  /** Permanent: losses are counted under it. */
  name: string;
  /** Tried on `Type: value` of what was thrown. */
  pattern: RegExp;
}

export type Verdict =
  | { kind: "report" }
  /** Reported, but told apart: the framework causes it, and mostly cures it too. */
  | { kind: "classify"; as: string }
  | { kind: "leave-out"; rule: string };

/** Decides what becomes of an event. `isOwnFile` tells the application's own scripts in a browser; on the server all code is its own. */
export function judgeEvent(event: WireEvent, isOwnFile?: (file: string) => boolean): Verdict {
  const text = textOf(event);
  if (text === undefined) return { kind: "report" };
  const signal = frameworkSignals.find(({ pattern }) => pattern.test(text));
  if (signal) return { kind: "leave-out", rule: signal.name };
  if (isOwnFile === undefined) return { kind: "report" };
  const known = classes.find(({ pattern }) => pattern.test(text));
  if (known) return { kind: "classify", as: known.name };
  const noise = noisyErrors.find(({ pattern }) => pattern.test(text));
  if (noise) return { kind: "leave-out", rule: noise.name };
  if (isEmpty(event)) return { kind: "leave-out", rule: "empty-error" };
  return hasForeignFramesOnly(event, isOwnFile) ? { kind: "leave-out", rule: "foreign-frames" } : { kind: "report" };
}

function textOf(event: WireEvent): string | undefined {
  const thrown = event.exception?.values.at(-1);
  return thrown && `${thrown.type ?? "Error"}: ${thrown.value}`;
}

/** Neither message nor stack: there is nothing to look at. */
function isEmpty(event: WireEvent): boolean {
  const thrown = event.exception?.values.at(-1);
  return thrown !== undefined && thrown.value === "" && thrown.stacktrace === undefined && thrown.type === "Error";
}
