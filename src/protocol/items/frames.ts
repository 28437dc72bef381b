import { readEventId } from "../ids.ts";
import type { ProtocolLimits } from "../limits.ts";
import {
  booleanOf,
  isObject,
  type JsonObject,
  listOf,
  nonEmptyText,
  numberOf,
  objectOf,
  present,
  textOf,
} from "../loose-values.ts";
import type { Trim } from "../trim.ts";

/** One call of a stack. */
export interface Frame {
  readonly filename?: string;
  readonly absPath?: string;
  readonly function?: string;
  readonly module?: string;
  readonly line?: number;
  readonly column?: number;
  readonly inApp?: boolean;
  readonly contextLine?: string;
  readonly preContext?: readonly string[];
  readonly postContext?: readonly string[];
  readonly vars?: JsonObject;
  readonly debugId?: string;
  /** Set by a service that has mapped it to its source. Never read from a report. */
  readonly isMapped?: true;
}

/** Reads frames outside of an exception: the event's own, or those of the thread that crashed or reported. */
export function looseFrames(event: JsonObject, limits: ProtocolLimits, trim: Trim): readonly Frame[] | undefined {
  const threads = listOf(event.threads).filter(isObject);
  const thread =
    threads.find((entry) => entry.crashed === true) ?? threads.find((entry) => entry.current === true) ?? threads[0];
  const stack = event.stacktrace ?? event["sentry.interfaces.Stacktrace"] ?? thread?.stacktrace;
  const frames = framesOf(stack, limits, trim);
  return frames.length === 0 ? undefined : frames;
}

/** Reads from the innermost call outwards: if there are too many variables, those next to the error are kept. */
export function framesOf(stacktrace: unknown, limits: ProtocolLimits, trim: Trim): readonly Frame[] {
  const all = listOf(objectOf(stacktrace).frames).filter(isObject);
  return trim
    .ends(all, limits.frames, "frames")
    .toReversed()
    .map((frame) => frameOf(frame, limits, trim))
    .toReversed();
}

function frameOf(frame: JsonObject, limits: ProtocolLimits, trim: Trim): Frame {
  const filename = nonEmptyText(frame.filename, limits.longText);
  const absPath = nonEmptyText(frame.abs_path, limits.longText);
  const module = nonEmptyText(frame.module, limits.shortText);
  return present({
    filename,
    absPath,
    // Code without symbols is named by its address, which a symbol file can resolve later.
    function: nonEmptyText(frame.function ?? frame.raw_function ?? frame.instruction_addr, limits.shortText),
    module:
      module ?? (filename === undefined && absPath === undefined ? libraryName(frame.package, limits) : undefined),
    line: numberOf(frame.lineno),
    column: numberOf(frame.colno),
    inApp: booleanOf(frame.in_app),
    contextLine: textOf(frame.context_line, limits.longText),
    preContext: linesOf(frame.pre_context, limits),
    postContext: linesOf(frame.post_context, limits),
    vars: trim.object(frame.vars, "variables"),
    debugId: readEventId(frame.debug_id),
  });
}

/**
 * Returns the name of a native library: `/usr/lib/libc.so`, or `Shop, Version=1.0.0.0` of an assembly. The name alone
 * is equal on every machine.
 */
function libraryName(value: unknown, limits: ProtocolLimits): string | undefined {
  const name = textOf(value, limits.longText)
    ?.split(/, Version=/, 1)[0]
    ?.split(/[\\/]/)
    .at(-1);
  return nonEmptyText(name, limits.shortText);
}

function linesOf(value: unknown, limits: ProtocolLimits): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || limits.contextLines === 0) return undefined;
  return value.slice(0, limits.contextLines).map((line) => textOf(line, limits.longText) ?? "");
}
