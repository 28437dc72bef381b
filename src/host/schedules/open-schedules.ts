import type { PageHandler } from "#pages";
import type { ServerReporting } from "#reporting";
import { openSharedState, type SharedState } from "#service";
import { applicationName } from "../application-name.ts";
import { warn } from "../process/warn.ts";
import type { Served } from "../served.ts";
import { serviceFolderOf } from "../service/service-folder.ts";
import { checkSchedules } from "./check-schedules.ts";
import { Scheduler, schedulerLimits } from "./scheduler.ts";

export interface SchedulesDeps {
  readonly pages: Pick<PageHandler, "schedules">;
  /** Absent where reports go to another service. */
  readonly shared: SharedState | undefined;
  readonly reporting: Pick<ServerReporting, "runTask">;
  readonly dataFolder: string;
}

export interface OpenSchedules {
  readonly scheduler: Scheduler | undefined;
  close(): Promise<void>;
}

/** Opens the tasks of a built application. Throws if one of them would never run. */
export async function openSchedules(served: Served, deps: SchedulesDeps): Promise<OpenSchedules> {
  const schedules = await deps.pages.schedules();
  checkSchedules(schedules, Date.now());
  if (schedules.length === 0) return { scheduler: undefined, close: async () => undefined };
  // Tasks of an application that reports elsewhere run once in its data folder or database too.
  const state = deps.shared ?? (await openSharedState(serviceFolderOf(deps.dataFolder), served.config.store));
  const claims = state.openScheduleClaims();
  const scheduler = new Scheduler({
    application: applicationName(served.root),
    schedules,
    claims,
    reporting: deps.reporting,
    limits: schedulerLimits,
    now: () => Date.now(),
    warn,
  });
  return {
    scheduler,
    close: async () => {
      await claims.close();
      if (state !== deps.shared) await state.close();
    },
  };
}
