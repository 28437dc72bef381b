import { load, notFound } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { shownRelease } from "../../../parts/release/release-name.ts";
import { scopeOf } from "../../../server/scope.ts";

/** By `?name=`: a release may be called anything, also what no path can say. */
export const data = load("/_holdfast/[project]/releases/named", ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const desk = openedDesk();
  const found = desk.release(project.id, search.get("name") ?? "");
  if (!found) notFound();
  return { ...found, now: desk.now(), shown: shownRelease(found.release.name) };
});
