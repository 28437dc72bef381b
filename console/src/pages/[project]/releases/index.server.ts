import { load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { scopeOf } from "../../../server/scope.ts";

export const data = load("/_holdfast/[project]/releases", (context) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  return { now: api.now(), releases: api.releases(project.id) };
});
