import { action, load } from "holdfast/server";
import { consoleApi, erasedWords } from "holdfast/service";
import { eraseByForm } from "../../../server/erase-actions.ts";
import { formOf } from "../../../server/posted.ts";
import { needs, scopeOf } from "../../../server/scope.ts";
import { shownNames } from "../../../server/shown-names.ts";

const route = "/[project]/settings/erase";
/** Each is one small file. */
const shownReports = 20;
const longestNamed = 100;

/** What a link on another page has named, and what became of earlier erasures. */
export const data = load(route, async ({ search, ...context }) => {
  const scope = scopeOf(context);
  needs(scope, "owner");
  const api = consoleApi();
  const nameOf = await shownNames();
  const named = (kind: string): string | undefined => search.get(kind)?.slice(0, longestNamed);
  return {
    now: api.now(),
    project: scope.project,
    event: named("event"),
    issue: named("issue"),
    visitor: named("visitor"),
    reports: api.erase
      .reports(scope.project.id)
      .slice(0, shownReports)
      .map(({ id, what, by, askedAt, state, removed, why }) => ({
        id,
        what,
        by: nameOf(by),
        askedAt,
        state,
        removed: erasedWords(removed),
        why,
      })),
  };
});

export const actions = {
  erase: action({ route }, ({ input, ...context }) => eraseByForm(scopeOf(context), formOf(input))),
};
