import { schedule } from "holdfast/server";
import { bookings } from "./server/bookings.ts";
import { taskRuns } from "./server/task-runs.ts";

/** Removes bookings whose day is over. Every minute, so that visitors of the tour see a run. */
export const removePastBookings = schedule(
  "* * * * *",
  ({ dueAt }) => taskRuns.record(dueAt, () => bookings.removeBefore(dueAt)),
  { maxMinutes: 1 },
);
