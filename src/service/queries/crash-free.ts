import type { SessionRecord } from "../stores/records.ts";

export interface SessionHealth {
  started: number;
  errored: number;
  crashed: number;
  /** Share of sessions without a crash, 0 to 1. Undefined if there were none. */
  crashFree: number | undefined;
}

export function sessionHealth(records: readonly SessionRecord[]): SessionHealth {
  let [started, errored, crashed] = [0, 0, 0];
  for (const record of records) {
    started += record.started;
    errored += record.errored;
    crashed += record.crashed;
  }
  return { started, errored, crashed, crashFree: started === 0 ? undefined : Math.max(0, 1 - crashed / started) };
}
