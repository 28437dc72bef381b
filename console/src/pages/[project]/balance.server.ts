import { load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { scopeOf } from "../../server/scope.ts";

const hoursShown = 24;
/** An hour with more has an outage, and its issue names the first. */
const missingShown = 20;

export const data = load("/[project]/balance", async (context) => {
  const { project } = scopeOf(context);
  const { balance, now } = consoleApi();
  const [hours, after] = await Promise.all([balance.hours(project.id, hoursShown), balance.afterErrors(project.id)]);
  return {
    now: now(),
    after,
    missing: hours.reduce((sum, { isClosed, missing }) => sum + (isClosed ? missing.length : 0), 0),
    hours: hours.map(({ missing, leftOut, ...hour }) => ({
      ...hour,
      missing: missing.length,
      examples: missing.slice(0, missingShown).map(({ digest, route }) => ({ digest, route })),
      leftOut: leftOut.map(({ reason, n }) => ({ rule: reason.replace(/^filter:/, ""), n })),
    })),
  };
});
