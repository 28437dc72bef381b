import { load } from "holdfast/server";
import { type ConsoleApi, consoleApi } from "holdfast/service";
import { scopeOf } from "../../server/scope.ts";

const hoursShown = 24;
/** An hour with more has an outage, and its issue names the first. */
const missingShown = 20;

export const data = load("/[project]/balance", async (context) => {
  const { project } = scopeOf(context);
  const { balance, now } = consoleApi();
  const [hours, after] = await Promise.all([balance.hours(project.id, hoursShown), balance.afterErrors(project.id)]);
  const closed = hours.filter(({ isClosed }) => isClosed);
  const lost = (missingIn: (hour: Hour) => readonly unknown[]): number =>
    closed.reduce((sum, hour) => sum + missingIn(hour).length, 0);
  return {
    now: now(),
    after,
    lost: {
      pages: lost(({ missing }) => missing),
      submissions: lost(({ submissions }) => submissions.missing),
      navigations: lost(({ navigations }) => navigations.missing),
    },
    hours: hours.map(({ missing, leftOut, submissions, navigations, ...hour }) => ({
      ...hour,
      missing: missing.length,
      examples: missing.slice(0, missingShown).map(({ digest, route }) => ({ digest, route })),
      leftOut: leftOut.map(({ reason, n }) => ({ rule: reason.replace(/^filter:/, ""), n })),
      submissions: tallyOf(submissions),
      navigations: tallyOf(navigations),
    })),
  };
});

type Hour = Awaited<ReturnType<ConsoleApi["balance"]["hours"]>>[number];

function tallyOf({ begun, ends, running, missing }: Hour["submissions"]) {
  return {
    begun,
    running,
    ended: begun - running - missing.length,
    ends: Object.entries(ends)
      .toSorted(([, a], [, b]) => b - a)
      .map(([kind, n]) => ({ kind: kind.replace("-", " "), n })),
    missing: missing.length,
    examples: missing.slice(0, missingShown).map(({ id, route, name, key }) => ({ id, route, name, key })),
  };
}
