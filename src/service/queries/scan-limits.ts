import { readCount } from "../read-count.ts";

/** Bounds of searches that read what is stored, because no index has it. The operator changes them. */
export interface ScanLimits {
  /** Log lines that one page of a search opens: about 0.2 s, in turns with other work. A million lines are 20 pages. */
  readonly logLines: number;
  /** Log lines of an export: more than a person reads, and about 30 MB. A shorter time has the rest. */
  readonly exportedLines: number;
  /** Traces that a search for spans reads. Each takes about half a millisecond. */
  readonly traces: number;
  /** A query that takes so long is called slow. A visitor notices a tenth of a second, and few queries need it. */
  readonly slowQueryMs: number;
}

export const scanLimits: ScanLimits = { logLines: 50_000, exportedLines: 100_000, traces: 400, slowQueryMs: 100 };

/** Applies the operator's settings. */
export function scanLimitsOf(env: NodeJS.ProcessEnv): ScanLimits {
  return {
    logLines: readCount(env, "HOLDFAST_LOG_LINES_SEARCHED") ?? scanLimits.logLines,
    exportedLines: readCount(env, "HOLDFAST_LOG_LINES_EXPORTED") ?? scanLimits.exportedLines,
    traces: readCount(env, "HOLDFAST_TRACES_SEARCHED") ?? scanLimits.traces,
    slowQueryMs: readCount(env, "HOLDFAST_SLOW_QUERY_MS") ?? scanLimits.slowQueryMs,
  };
}
