import { type Report, type ReporterDeps, reportError } from "../../report-error.ts";
import type { Stall } from "./watch-stalls.ts";

/** Reports a stall like an error thrown at the blocking line, so that stalls of one line are one issue. */
export function reportStall({ ms, stack }: Stall, timeMs: number, deps: ReporterDeps): Report {
  const error = new Error(`Event loop blocked for ${seconds(ms)} s`);
  error.name = "Stall";
  error.stack = stack ?? "";
  const mechanism = { type: "auto.holdfast.stall", handled: true };
  const tags = { side: "server", during: "stall" };
  const context = { timeMs, sentAtMs: timeMs, level: "warning", tags } as const;
  return reportError(error, { mechanism, context }, deps);
}

/** Rounded, so that stalls without a stack and of similar length are one issue. */
function seconds(ms: number): string {
  return ms < 10_000 ? String(Math.round(ms / 1_000)) : `${Math.round(ms / 10_000)}0`;
}
