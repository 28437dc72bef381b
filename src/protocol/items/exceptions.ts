import type { ProtocolLimits } from "../limits.ts";
import { booleanOf, isObject, type JsonObject, listOf, nonEmptyText, numberOf, present } from "../loose-values.ts";
import type { Trim } from "../trim.ts";
import { type Frame, framesOf } from "./frames.ts";

export interface ReportedException {
  readonly type?: string;
  readonly value?: string;
  readonly module?: string;
  readonly mechanism?: Mechanism;
  /** Oldest call first, as clients send them. */
  readonly frames: readonly Frame[];
}

export interface Mechanism {
  readonly type?: string;
  readonly handled?: boolean;
  /** Created by the client to have a stack; its type and value are meaningless. */
  readonly synthetic: boolean;
  readonly exceptionId?: number;
  readonly parentId?: number;
  readonly source?: string;
  readonly data?: JsonObject;
}

/** Reads the thrown error, which is last, first: its variables matter more than those of its causes. */
export function exceptionsOf(value: unknown, limits: ProtocolLimits, trim: Trim): readonly ReportedException[] {
  return trim
    .newest(listOf(value).filter(isObject), limits.exceptions, "exceptions")
    .toReversed()
    .map((exception) =>
      present({
        type: nonEmptyText(exception.type, limits.shortText),
        value: nonEmptyText(
          isObject(exception.value)
            ? JSON.stringify(trim.free(exception.value, "an exception's value"))
            : exception.value,
          limits.longText,
        ),
        module: nonEmptyText(exception.module, limits.shortText),
        mechanism: mechanismOf(exception.mechanism, limits, trim),
        frames: framesOf(exception.stacktrace ?? exception.raw_stacktrace, limits, trim),
      }),
    )
    .toReversed();
}

/**
 * Clients of native code send the stack of the thrown error in its thread, and old clients send it beside the
 * exception.
 */
export function withStack(
  exceptions: readonly ReportedException[],
  loose: readonly Frame[] | undefined,
): readonly ReportedException[] {
  const thrown = exceptions.at(-1);
  if (loose === undefined || thrown === undefined || exceptions.some(({ frames }) => frames.length > 0))
    return exceptions;
  return [...exceptions.slice(0, -1), { ...thrown, frames: loose }];
}

function mechanismOf(value: unknown, limits: ProtocolLimits, trim: Trim): Mechanism | undefined {
  if (!isObject(value)) return undefined;
  return present({
    type: nonEmptyText(value.type, limits.shortText),
    handled: booleanOf(value.handled),
    synthetic: booleanOf(value.synthetic) ?? false,
    exceptionId: numberOf(value.exception_id),
    parentId: numberOf(value.parent_id),
    source: nonEmptyText(value.source, limits.shortText),
    data: trim.object(value.data, "a mechanism"),
  });
}
