import { action, load } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { allKeptByForm, keptByForm, keptSeconds } from "../../server/kept/kept-actions.ts";
import { showKept } from "../../server/kept/show-kept.ts";
import { formOf } from "../../server/posted.ts";
import { scopeOf, wholeNumber } from "../../server/scope.ts";
import { shownNames } from "../../server/shown-names.ts";

const route = "/[project]/kept";
/** More than a person reads. Each is decrypted. */
const shownAtOnce = 50;
const longestCode = 40;

/** All, those of an issue, or one with what was sent. */
export const data = load(route, async ({ search, ...context }) => {
  const { project, role } = scopeOf(context);
  const api = consoleApi();
  const kept = api.kept(project.id);
  const mayChange = isAtLeast(role, "member");
  const code = search.get("code")?.slice(0, longestCode);
  const issue = wholeNumber(search.get("issue") ?? undefined);
  const all = search.get("show") === "all";
  const [one, found, nameOf] = await Promise.all([
    code ? kept?.show(code) : undefined,
    code ? undefined : kept?.list({ issue, all, limit: shownAtOnce }),
    shownNames(),
  ]);
  return {
    now: api.now(),
    isElsewhere: kept === undefined,
    mayChange,
    code,
    issue,
    all,
    one: one && showKept(one, { mayChange, nameOf }),
    entries: (found?.entries ?? []).map((entry) => showKept(entry, { mayChange: false, nameOf })),
    hidden: Math.max(0, (found?.total ?? 0) - shownAtOnce),
    runnable: found?.runnable.length ?? 0,
  };
});

export const actions = {
  one: action({ route, timeout: keptSeconds }, ({ input, ...context }) => keptByForm(scopeOf(context), formOf(input))),
  all: action({ route, timeout: keptSeconds }, ({ input, ...context }) =>
    allKeptByForm(scopeOf(context), formOf(input)),
  ),
};
