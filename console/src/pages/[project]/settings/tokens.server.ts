import { action, load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { formOf } from "../../../server/posted.ts";
import { needs, scopeOf } from "../../../server/scope.ts";
import { changeProjectTokens, tokensOf } from "../../../server/token-actions.ts";

const route = "/[project]/settings/tokens";

export const data = load(route, async (context) => {
  const scope = scopeOf(context);
  needs(scope, "owner");
  const { project } = scope;
  return {
    now: consoleApi().now(),
    project: project.name,
    tokens: await tokensOf({ kind: "project", project: project.id }),
  };
});

export const actions = {
  tokens: action({ route }, ({ input, ...context }) => changeProjectTokens(scopeOf(context), formOf(input))),
};
