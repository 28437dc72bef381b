import { action, load } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { workOnRules } from "../../../server/ownership-actions.ts";
import { formOf } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";

const route = "/[project]/settings/ownership";

export const data = load(route, async (context) => {
  const { project, role } = scopeOf(context);
  const { ownership } = consoleApi();
  return {
    project,
    isOwner: isAtLeast(role, "owner"),
    // The rules name addresses of people.
    ownership: isAtLeast(role, "member") ? await ownership.of(project.id) : undefined,
  };
});

export const actions = {
  rules: action({ route }, ({ input, ...context }) => workOnRules(scopeOf(context), formOf(input))),
};
