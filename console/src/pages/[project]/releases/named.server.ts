import { load, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { shownRelease } from "../../../parts/release/release-name.ts";
import { scopeOf } from "../../../server/scope.ts";

/** By `?name=`, because a release may have any name, also one that no path can contain. */
export const data = load("/[project]/releases/named", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const found = await api.release(project.id, search.get("name") ?? "");
  if (!found) notFound();
  const { name } = found.release;
  return { ...found, deploys: api.deploys(project.id, name), now: api.now(), shown: shownRelease(name) };
});
