import { action, invalid, load } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { formOf, textIn } from "../../server/posted.ts";
import type { Said } from "../../server/said.ts";
import { needs, scopeOf } from "../../server/scope.ts";

const route = "/[project]/schedules";
/** More than a person reads. A project has at most a thousand. */
const tasksShown = 200;

export const data = load(route, async (context) => {
  const { project, role } = scopeOf(context);
  const api = consoleApi();
  const tasks = await api.scheduledTasks(project.id);
  return {
    now: api.now(),
    mayChange: isAtLeast(role, "member"),
    hidden: Math.max(0, tasks.length - tasksShown),
    tasks: tasks.slice(0, tasksShown),
  };
});

const saidOf = {
  mute: "is muted: its problems are not filed.",
  unmute: "is watched again.",
  delete: "is deleted. Its next check-in makes it known again.",
} as const;

export const actions = {
  change: action({ route }, async ({ input, ...context }): Promise<Said> => {
    const scope = scopeOf(context);
    needs(scope, "member");
    const form = formOf(input);
    const name = textIn(form, "name");
    const environment = textIn(form, "environment") || undefined;
    const wish = textIn(form, "do");
    if (wish !== "mute" && wish !== "unmute" && wish !== "delete") invalid({ "": "This is no change of a schedule." });
    await consoleApi().changeTask({ project: scope.project.id, name, environment }, wish, scope.person.name);
    return { said: `${name} ${saidOf[wish]}` };
  }),
};
