import { load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { environmentIn } from "../../../server/own-choices.ts";
import { scopeOf } from "../../../server/scope.ts";

/** Sessions are those of the chosen environment. Events and issues are counted for all of them together. */
export const data = load("/[project]/releases", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  return { now: api.now(), releases: await api.releases(project.id, environmentIn(search, context.cookies)) };
});
