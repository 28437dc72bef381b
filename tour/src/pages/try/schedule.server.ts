import { action, load } from "holdfast/server";
import { taskRuns } from "../../server/task-runs.ts";

export const data = load("/try/schedule", () => ({ runs: taskRuns.latest(), failsNext: taskRuns.failsNext }));

export const actions = {
  failNext: action({}, () => {
    taskRuns.failNext();
    return {};
  }),
};
