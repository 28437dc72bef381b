import { messageOf } from "#errors";
import type { NamedSchedule } from "#pages";
import type { ServerReporting } from "#reporting";

/** Result of a run. The digest leads to the error. */
export type ScheduleRunEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly digest: string | undefined };

export interface ScheduleRunDeps {
  readonly dueAt: number;
  readonly signal: AbortSignal;
  readonly reporting: Pick<ServerReporting, "runTask">;
  readonly warn: (sentence: string) => void;
}

/** Runs a task: traced and checked in, a failure reported and written for the operator. */
export async function runSchedule(schedule: NamedSchedule, deps: ScheduleRunDeps): Promise<ScheduleRunEnd> {
  const { name, crontab, options } = schedule;
  const { timeZone, maxMinutes } = options;
  const end = await deps.reporting.runTask({ name, crontab, timeZone, maxMinutes }, async () => {
    await schedule.run({ name, dueAt: new Date(deps.dueAt), signal: deps.signal });
  });
  if (end.kind === "ended") return end;
  const digest = end.receipt.kind === "recorded" ? end.receipt.digest : undefined;
  deps.warn(`The schedule ${name} failed: ${messageOf(end.error)}${digest === undefined ? "" : ` (${digest})`}`);
  return { kind: "failed", digest };
}
