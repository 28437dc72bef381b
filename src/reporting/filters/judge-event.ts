import type { WireEvent } from "../wire.ts";
import { classes } from "./classes.ts";
import { foreignFiles } from "./foreign-frames.ts";
import { frameworkSignals } from "./framework-signals.ts";
import { noisyErrors } from "./noisy-errors.ts";

export type Verdict =
  | { kind: "report" }
  /**
   * Reported as a warning with a tag: as one of a `class` that deploys and lost connections cause and the framework
   * mostly recovers from, or as an error of a `vendor`, a site whose script the application has loaded.
   */
  | { kind: "warn"; tags: Readonly<Record<string, string>> }
  | { kind: "leave-out"; rule: string };

/** How a browser knows whose script a file is. On the server all code is the application's. */
export interface ScriptOwners {
  isOwnFile: (file: string) => boolean;
  /** The site of a file, if the application has loaded a script of that site by `<Script>`. */
  vendorOf: (file: string) => string | undefined;
}

export function judgeEvent(event: WireEvent, owners?: ScriptOwners): Verdict {
  const text = textOf(event);
  if (text === undefined) return { kind: "report" };
  const signal = frameworkSignals.find(({ pattern }) => pattern.test(text));
  if (signal) return { kind: "leave-out", rule: signal.name };
  if (owners === undefined) return { kind: "report" };
  const known = classes.find(({ pattern }) => pattern.test(text));
  if (known) return { kind: "warn", tags: { class: known.name } };
  const noise = noisyErrors.find(({ pattern }) => pattern.test(text));
  if (noise) return { kind: "leave-out", rule: noise.name };
  if (isEmpty(event)) return { kind: "leave-out", rule: "empty-error" };
  const foreign = foreignFiles(event, owners.isOwnFile);
  if (foreign.length === 0) return { kind: "report" };
  const [vendor] = foreign.flatMap((file) => owners.vendorOf(file) ?? []);
  return vendor === undefined ? { kind: "leave-out", rule: "foreign-frames" } : { kind: "warn", tags: { vendor } };
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
