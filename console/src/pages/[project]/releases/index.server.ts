import { load } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { scopeOf } from "../../../server/scope.ts";

export const data = load("/_holdfast/[project]/releases", (context) => {
  const { project } = scopeOf(context);
  const desk = openedDesk();
  return { now: desk.now(), releases: desk.releases(project.id) };
});
