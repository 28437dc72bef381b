import * as pageErrors from "../../errors.ts";
import type { ServerModule } from "../../parts.ts";

/** What a scheduled task knows about its run. */
export interface ScheduleContext {
  /** The task's name: its export, as `nightly-report`. */
  readonly name: string;
  /** When the run was due. A run that catches up has the last due time. */
  readonly dueAt: Date;
  /** Aborted when the server stops and the run has not ended in most of the time for it. */
  readonly signal: AbortSignal;
}

export interface ScheduleOptions {
  /** Zone of the crontab, such as `Europe/Berlin`; UTC by default. */
  readonly timeZone?: string;
  /** What happens after a stop with due times in it: nothing (the default), or one run as soon as a server runs. */
  readonly missed?: "skip" | "run-once";
  /** Whether a run may begin while the one before it goes on; by default that due time is skipped. */
  readonly overlap?: boolean;
  /** Minutes after which a run is reported as too long; 30 by default. It is not ended. */
  readonly maxMinutes?: number;
}

/** A task that `schedule` has declared. */
export interface Schedule {
  readonly kind: "holdfast.schedule";
  readonly crontab: string;
  readonly run: (context: ScheduleContext) => unknown;
  readonly options: ScheduleOptions;
}

/**
 * Declares a task in `src/schedules.server.ts`: its export is its name. It runs in one of all processes that share a
 * store, is traced and checks in by itself.
 *
 * @example export const nightlyReport = schedule("0 3 * * *", async ({ signal }) => sendReport(signal));
 */
export function schedule(
  crontab: string,
  run: (context: ScheduleContext) => unknown,
  options: ScheduleOptions = {},
): Schedule {
  return { kind: "holdfast.schedule", crontab, run, options };
}

/** A schedule with the name of its export. */
export interface NamedSchedule extends Schedule {
  readonly name: string;
}

/** Reads the exports of `src/schedules.server.ts`. */
export function readSchedules(module: ServerModule): readonly NamedSchedule[] {
  return Object.entries(module).map(([exported, value]) => {
    if (!isSchedule(value))
      throw pageErrors.wrongServerExport(
        "src/schedules.server.ts",
        exported,
        typeof value,
        `a schedule, such as export const nightlyReport = schedule("0 3 * * *", …); other exports belong elsewhere`,
      );
    return { ...value, name: nameOfExport(exported) };
  });
}

/** `nightlyReport` becomes `nightly-report`, as monitors are named. */
function nameOfExport(exported: string): string {
  return exported.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, "-").toLowerCase();
}

function isSchedule(value: unknown): value is Schedule {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "holdfast.schedule";
}
