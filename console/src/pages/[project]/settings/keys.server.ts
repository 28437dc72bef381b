import { href } from "holdfast";
import { action, load } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { changeLimit, changeSpikeRules, saveKey, stepKey } from "../../../server/key-actions.ts";
import { formOf } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";

const route = "/[project]/settings/keys";

export const data = load(route, ({ url, ...context }) => {
  const { project, role } = scopeOf(context);
  const { keys, spikes, now } = consoleApi();
  const dsnOf = (publicKey: string): string => {
    const dsn = new URL(href("/[project]", { project: project.id }), url.origin);
    dsn.username = publicKey;
    return dsn.href;
  };
  return {
    project,
    now: now(),
    isOwner: isAtLeast(role, "owner"),
    // A key permits sending, which a viewer does not need.
    keys: isAtLeast(role, "member")
      ? keys.of(project.id).map((key) => ({ ...key, dsn: dsnOf(key.publicKey) }))
      : undefined,
    perMinute: keys.perMinute(project.id),
    spike: spikes.rulesOf(project.id),
  };
});

export const actions = {
  save: action({ route }, ({ input, ...context }) => saveKey(scopeOf(context), formOf(input))),
  step: action({ route }, ({ input, ...context }) => stepKey(scopeOf(context), formOf(input))),
  limit: action({ route }, ({ input, ...context }) => changeLimit(scopeOf(context), formOf(input))),
  spike: action({ route }, ({ input, ...context }) => changeSpikeRules(scopeOf(context), formOf(input))),
};
