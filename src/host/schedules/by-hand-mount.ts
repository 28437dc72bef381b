import { constantHeaders, drainBody, isFromOwnPage, send } from "#http";
import type { PageHandler } from "#pages";
import type { ServerReporting } from "#reporting";
import { consolePath } from "#service";
import type { Mount } from "../enter.ts";
import { warn } from "../process/warn.ts";
import { checkSchedules } from "./check-schedules.ts";
import { runSchedule } from "./run-schedule.ts";

export interface ByHandDeps {
  readonly pages: Pick<PageHandler, "schedules">;
  readonly reporting: Pick<ServerReporting, "runTask">;
}

/** For development: `POST /_holdfast/schedules/NAME` runs a task of the current sources, and answers when it ended. */
export function createByHandMount({ pages, reporting }: ByHandDeps): Mount {
  const base = `${consolePath}/schedules`;
  return {
    path: base,
    handle: async (incoming, response) => {
      const answer = async (status: number, value: object): Promise<void> => {
        await drainBody(incoming);
        const headers = [...constantHeaders, "Content-Type", "application/json", "Cache-Control", "no-store"];
        await send({ incoming, response }, { status, headers, body: `${JSON.stringify(value)}\n` });
      };
      if (isFromOwnPage(incoming) === false) return answer(403, { problem: "Another site asked for this." });
      const schedules = await pages.schedules();
      checkSchedules(schedules, Date.now());
      const names = schedules.map(({ name }) => name);
      if (incoming.method === "GET") return answer(200, { schedules: names });
      const named = (incoming.url ?? "").slice(base.length + 1);
      const schedule = schedules.find(({ name }) => name === named);
      if (incoming.method !== "POST" || schedule === undefined)
        return answer(404, { problem: `There is no schedule "${named}".`, schedules: names });
      const { signal } = new AbortController();
      const end = await runSchedule(schedule, { dueAt: Date.now(), signal, reporting, warn });
      return answer(end.kind === "ended" ? 200 : 500, end);
    },
  };
}
