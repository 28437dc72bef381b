import { action, load } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { formOf } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";
import { changeOwnTokens, changeProjectTokens, tokensOf } from "../../../server/token-actions.ts";

const route = "/[project]/settings/tokens";

export const data = load(route, async (context) => {
  const { project, person, role } = scopeOf(context);
  const { access, now } = consoleApi();
  const [own, ofProject] = await Promise.all([
    access.kind === "accounts" ? tokensOf({ kind: "person", email: person.name }) : undefined,
    isAtLeast(role, "owner") ? tokensOf({ kind: "project", project: project.id }) : undefined,
  ]);
  return { now: now(), name: project.name, own, ofProject };
});

export const actions = {
  own: action({ route }, ({ input, ...context }) => changeOwnTokens(scopeOf(context), formOf(input))),
  project: action({ route }, ({ input, ...context }) => changeProjectTokens(scopeOf(context), formOf(input))),
};
