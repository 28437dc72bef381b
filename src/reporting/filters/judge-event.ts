import type { WireEvent } from "../wire.ts";
import { classes } from "./classes.ts";
import { hasForeignFramesOnly } from "./foreign-frames.ts";
import { frameworkSignals } from "./framework-signals.ts";
import { noisyErrors } from "./noisy-errors.ts";

export type Verdict =
  | { kind: "report" }
  /** Reported under its own class: deploys and lost connections cause it, and the framework mostly recovers. */
  | { kind: "classify"; as: string }
  | { kind: "leave-out"; rule: string };

/** `isOwnFile` recognizes the application's scripts in a browser. On the server all code is the application's. */
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

/** An event without message and stack contains no information. */
function isEmpty(event: WireEvent): boolean {
  const thrown = event.exception?.values.at(-1);
  return thrown !== undefined && thrown.value === "" && thrown.stacktrace === undefined && thrown.type === "Error";
}
