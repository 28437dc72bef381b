import { load, notFound, redirect } from "holdfast/server";
import { personOf, projectsOf } from "../server/scope.ts";

/** Redirects to the first project that the person may see. */
export const data = load("/", ({ locals }) => {
  const [first] = projectsOf(personOf(locals));
  if (!first) notFound();
  return redirect("/[project]", { project: first.id });
});
