import { load } from "holdfast/server";
import { isAtLeast, openedDesk } from "holdfast/service";
import { scopeOf } from "../../server/scope.ts";

export const data = load("/_holdfast/[project]/settings", ({ url, ...context }) => {
  const { project, role } = scopeOf(context);
  const desk = openedDesk();
  const key = desk.projects().find(({ id }) => id === project.id)?.publicKey;
  const dsn = new URL(`/_holdfast/${project.id}`, url.origin);
  dsn.username = key ?? "";
  return {
    project,
    role,
    // Whoever has the key may send; a viewer has no need to.
    dsn: isAtLeast(role, "member") ? dsn.href : undefined,
    files: desk.storage().map(({ name, from, to, bytes }) => ({ name, from, to, bytes })),
  };
});
