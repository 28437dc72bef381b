import { action, load } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { addFilter, removeFilter } from "../../../server/filter-actions.ts";
import { formOf } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";
import { addScrubRule, removeScrubRule, tryScrubRule } from "../../../server/scrub-actions.ts";

const route = "/[project]/settings/filters";

export const data = load(route, (context) => {
  const { project, role } = scopeOf(context);
  const { filters, scrubRules, now } = consoleApi();
  return {
    project,
    now: now(),
    isOwner: isAtLeast(role, "owner"),
    filters: filters.of(project.id),
    // The rules say what an application wants to hide.
    scrubRules: isAtLeast(role, "member") ? scrubRules.of(project.id) : undefined,
  };
});

export const actions = {
  add: action({ route }, ({ input, ...context }) => addFilter(scopeOf(context), formOf(input))),
  remove: action({ route }, ({ input, ...context }) => removeFilter(scopeOf(context), formOf(input))),
  addRule: action({ route }, ({ input, ...context }) => addScrubRule(scopeOf(context), formOf(input))),
  removeRule: action({ route }, ({ input, ...context }) => removeScrubRule(scopeOf(context), formOf(input))),
  trial: action({ route, changesNothing: true }, ({ input, ...context }) =>
    tryScrubRule(scopeOf(context), formOf(input)),
  ),
};
