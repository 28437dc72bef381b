import { action, load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import {
  addressOf,
  mayShare,
  removeSearch,
  renameSearch,
  saveSearch,
  screenNamed,
} from "../../server/saved-searches.ts";
import { scopeOf } from "../../server/scope.ts";

const route = "/[project]/searches";

export const data = load(route, ({ search, ...context }) => {
  const scope = scopeOf(context);
  const { project, person } = scope;
  const screen = screenNamed(search.get("screen"));
  const asked = (search.get("search") ?? "").slice(0, 2_000);
  return {
    mayShare: mayShare(scope),
    /** The search that a screen has sent here. */
    draft: screen && {
      screen,
      search: asked,
      words: new URLSearchParams(asked).get("q") ?? "",
      to: addressOf({ project: project.id, screen, search: asked }),
    },
    searches: consoleApi()
      .searches.of(project.id, person.name)
      .map((one) => ({
        id: one.id,
        name: one.name,
        screen: one.screen,
        isShared: one.owner === undefined,
        words: new URLSearchParams(one.search).get("q") ?? "",
        to: addressOf(one),
      })),
  };
});

export const actions = {
  save: action({ route }, ({ input, ...context }) => saveSearch(scopeOf(context), input)),
  rename: action({ route }, ({ input, ...context }) => renameSearch(scopeOf(context), input)),
  remove: action({ route }, ({ input, ...context }) => removeSearch(scopeOf(context), input)),
};
