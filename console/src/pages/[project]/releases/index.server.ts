import { load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { scopeOf } from "../../../server/scope.ts";

export const data = load("/[project]/releases", async (context) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  return { now: api.now(), releases: await api.releases(project.id) };
});
