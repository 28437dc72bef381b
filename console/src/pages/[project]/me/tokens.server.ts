import { action, load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { formOf } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";
import { changeOwnTokens, ownTokens, tokensOf } from "../../../server/token-actions.ts";

const route = "/[project]/me/tokens";

export const data = load(route, async (context) => {
  const { person } = scopeOf(context);
  return { now: consoleApi().now(), tokens: await tokensOf(ownTokens(person)) };
});

export const actions = {
  tokens: action({ route }, ({ input, ...context }) => changeOwnTokens(scopeOf(context), formOf(input))),
};
