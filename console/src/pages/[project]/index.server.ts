import { load } from "holdfast/server";
import { type ConsoleApi, consoleApi } from "holdfast/service";
import { lastDuration } from "../../parts/time/last-duration.ts";
import { drawDay, markReleases } from "../../server/draw-day.ts";
import { basisWords, findingOf, sentenceOf } from "../../server/finding.ts";
import { scopeOf } from "../../server/scope.ts";
import { showMessage, typeBefore } from "../../server/show-message.ts";
import { isNew, showState } from "../../server/show-state.ts";
import { shownNames } from "../../server/shown-names.ts";
import { sparkLine } from "../../server/trend-line.ts";

type Overview = Awaited<ReturnType<ConsoleApi["overview"]>>;

/** The framework's own clients have about twenty rules. Others choose their names freely. */
const rulesShown = 40;
/** More would push everything else off the screen. The list has them. */
const issuesShown = 8;
const tasksShown = 100;
const notesShown = 10;

export const data = load("/[project]", async (context) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const now = api.now();
  const [overview, newestRow, nameOf, after, kept = 0] = await Promise.all([
    api.overview(project.id),
    api.newestRow(project.id),
    shownNames(),
    api.balance.afterErrors(project.id),
    api.kept(project.id)?.waiting(),
  ]);
  const { today, weekAgo, usual, affected, newIssues, regressedIssues, leftOut, tasks, notesWithoutEvent } = overview;
  const finding = findingOf(usual);
  const cause = finding.kind === "above" ? finding.release : undefined;
  const drawing = drawDay(usual);
  const shown = (issues: typeof newIssues) =>
    issues.map((issue) => ({
      number: issue.number,
      type: typeBefore(issue),
      message: showMessage(issue.title),
      state: showState(issue.state, nameOf, isNew(issue, now)),
      events: issue.events,
      visitors: issue.visitors,
      firstSeen: issue.firstSeen,
      lastSeen: issue.lastSeen,
    }));
  return {
    now,
    finding,
    sentence: sentenceOf(overview),
    basis: basisWords(usual.basis),
    // Counted by the quarters that the heading and the chart have. By hours, the oldest one would be counted whole.
    today: { ...today, errors: usual.errors.total, errorPages: usual.errorPages.total },
    weekAgo,
    affected: { visitors: affected.visitors, usual: affected.usual?.usual },
    after: after && { visitors: after.visitors, reached: after.further + after.through, gaveUp: after.gaveUp },
    usual: {
      errors: usual.errors.usualTotal?.usual,
      errorPages: usual.errorPages.usualTotal?.usual,
      visits: usual.visits.usualTotal?.usual,
    },
    drawing,
    sparks: sparksOf(overview),
    marks: markReleases(overview.deploys, drawing, cause),
    issues: [...shown(regressedIssues), ...shown(newIssues)].slice(0, issuesShown),
    widest: shown(overview.widestIssues),
    slower: overview.slowerRoutes.map(({ route, measure, after, times, ...hours }) => ({
      route,
      measure,
      after,
      times,
      line: sparkLine({ ...overview.trends, ...hours }),
    })),
    leftOut: leftOut.slice(0, rulesShown),
    tasks: tasks.slice(0, tasksShown).map(({ name, environment, state, lastAt, runs, ok, failed }) => ({
      name,
      environment,
      state,
      lastAt,
      took: lastDuration(runs),
      ok,
      failed,
    })),
    /** Submissions that wait to be run again. */
    kept,
    notes: notesWithoutEvent.slice(0, notesShown).map(({ at, name, email, message, digest }) => ({
      at,
      from: name ?? email,
      message,
      digest,
    })),
    isEmpty: tasks.length === 0 && notesWithoutEvent.length === 0 && newestRow === undefined,
  };
});

/** Lines of the hours, by the figure or tile that each belongs to. What is above the usual is red since it began. */
function sparksOf({ usual, affected, trends }: Overview) {
  const { from, stepMs, measures } = trends;
  const line = (values: readonly (number | undefined)[], isAbove = false) =>
    sparkLine({
      values,
      from,
      stepMs,
      change: isAbove && usual.deviation !== undefined ? { since: usual.deviation.since, times: undefined } : undefined,
    });
  const { errorPages, visits } = usual;
  return {
    affected: line(affected.byHour, affected.usual !== undefined && affected.visitors > affected.usual.high),
    errors: line(byHour(usual.errors.values, trends, usual), true),
    errorPages: line(
      byHour(errorPages.values, trends, usual),
      errorPages.usualTotal !== undefined && errorPages.total > errorPages.usualTotal.high,
    ),
    visits: line(byHour(visits.values, trends, usual)),
    lcp: sparkLine({ from, stepMs, ...measures.lcp }),
    inp: sparkLine({ from, stepMs, ...measures.inp }),
    cls: sparkLine({ from, stepMs, ...measures.cls }),
    request: sparkLine({ from, stepMs, ...measures.request }),
    crashFree: line(trends.crashFree),
    prefetches: line(trends.prefetchHitRate),
  };
}

/** Sums of quarters of an hour. The first of them began in the hour before. */
function byHour(
  quarters: readonly number[],
  { from, stepMs, prefetchHitRate: hours }: Overview["trends"],
  usual: Overview["usual"],
): number[] {
  const sums = hours.map(() => 0);
  for (const [n, value] of quarters.entries()) {
    const hour = Math.floor((usual.from + n * usual.stepMs - from) / stepMs);
    if (hour >= 0) sums[hour] = (sums[hour] ?? 0) + value;
  }
  return sums;
}
