import { load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { titleOf } from "../../server/issue-title.ts";
import { scopeOf } from "../../server/scope.ts";

const dayMs = 86_400_000;
/** The framework's own clients have about twenty rules. Others choose their names freely. */
const rulesShown = 40;
const tasksShown = 100;
const notesShown = 10;

export const data = load("/[project]", async (context) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const now = api.now();
  const [overview, newestRow] = await Promise.all([api.overview(project.id), api.newestRow(project.id)]);
  const { today, weekAgo, errorsByHour, newIssues, regressedIssues, deploys, leftOut, tasks } = overview;
  const { notesWithoutEvent } = overview;
  const shown = (issues: typeof newIssues) =>
    issues.map((issue) => ({
      number: issue.number,
      title: titleOf(issue),
      state: issue.state,
      events: issue.events,
      visitors: issue.visitors,
      lastSeen: issue.lastSeen,
    }));
  return {
    now,
    today,
    weekAgo,
    errorsByHour,
    deploys: deploys.map(({ release, at }) => ({ name: release, at: (at - (now - dayMs)) / dayMs })),
    newIssues: shown(newIssues),
    regressed: shown(regressedIssues),
    leftOut: leftOut.slice(0, rulesShown),
    tasks: tasks.slice(0, tasksShown),
    notes: notesWithoutEvent.slice(0, notesShown).map(({ at, name, email, message, digest }) => ({
      at,
      from: name ?? email,
      message,
      digest,
    })),
    isEmpty: tasks.length === 0 && notesWithoutEvent.length === 0 && newestRow === undefined,
  };
});
