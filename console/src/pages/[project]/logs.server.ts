import { load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { drawLevels } from "../../server/logs/draw-levels.ts";
import { logsQuestion } from "../../server/logs/logs-question.ts";
import { showLine } from "../../server/logs/show-lines.ts";
import { savedLinks } from "../../server/saved-searches.ts";
import { scopeOf } from "../../server/scope.ts";
import { searchedTime } from "../../server/searched-time.ts";
import { textSearch } from "../../server/text-search.ts";

export const fresh = 0;

export const search = textSearch(["q", "days", "from", "to", "after", "environment"]);

export const data = load("/[project]/logs", { search }, async (context) => {
  const scope = scopeOf(context);
  const { project } = scope;
  const { searchParams } = context.url;
  const api = consoleApi();
  const now = api.now();
  const { days, isChosen, period } = searchedTime(searchParams, now);
  const { typed, problems, ...question } = logsQuestion(project.id, {
    search: searchParams,
    period,
    cookies: context.cookies,
  });
  // Later pages are appended to the list, below the chart of the first.
  const isFirstPage = question.after === undefined;
  const [{ lines, next, searchedFrom }, chart] = await Promise.all([
    api.logs(question),
    isFirstPage ? api.logChart(question) : undefined,
  ]);
  return {
    now,
    days,
    typed,
    saved: savedLinks(scope, "logs", searchParams),
    problems,
    chosen: isChosen ? period : undefined,
    // A later page asks for the same time, although meanwhile it is later.
    to: period.to,
    /** Identifies the list: another question has another list. */
    asked: JSON.stringify([question.filter, days, isChosen && period]),
    isFirstPage,
    next,
    searchedFrom,
    countedFrom: chart?.countedFrom,
    drawing: chart && drawLevels(chart),
    lines: lines.map((line) => showLine(project.id, line)),
  };
});
