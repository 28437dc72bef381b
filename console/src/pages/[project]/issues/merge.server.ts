import { action, load, notFound } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { titleOf } from "../../../server/issue-title.ts";
import { formOf, numbersIn, wholeNumbers } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";
import { showState } from "../../../server/show-state.ts";
import { shownNames } from "../../../server/shown-names.ts";
import { triageByForm } from "../../../server/triage.ts";

/** Finds the issue that others are merged into. */
export const data = load("/[project]/issues/merge", async ({ search, ...context }) => {
  const { project, role } = scopeOf(context);
  const api = consoleApi();
  const numbers = [...new Set(wholeNumbers(search.getAll("number")))];
  const typed = (search.get("find") ?? "").slice(0, 1_000);
  const [{ chosen, targets }, nameOf] = await Promise.all([
    api.mergeTargets({ project: project.id, numbers, typed }),
    shownNames(),
  ]);
  if (chosen.length === 0) notFound();
  type Found = (typeof targets)[number];
  const shown = (issue: Found) => ({
    number: issue.number,
    title: titleOf(issue),
    state: showState(issue.state, nameOf),
    events: issue.events,
    lastSeen: issue.lastSeen,
  });
  const [first] = chosen;
  const isOne =
    chosen.some(({ number, issue }) => number !== issue.number) &&
    chosen.every(({ issue }) => issue.id === first?.issue.id);
  return {
    now: api.now(),
    mayChange: isAtLeast(role, "member"),
    typed,
    chosen: chosen.map(({ number, issue }) => ({ ...shown(issue), number })),
    /** The issue that all of them are part of, once they are merged. */
    merged: isOne && first ? shown(first.issue) : undefined,
    targets: targets.map(shown),
  };
});

export const actions = {
  change: action({ route: "/[project]/issues/merge" }, ({ input, ...context }) => {
    const form = formOf(input);
    return triageByForm(scopeOf(context), numbersIn(form, "number"), form);
  }),
};
