import { action, load } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import {
  changeConditions,
  changeRule,
  previewRule,
  removeChannel,
  saveChannel,
  sendTest,
} from "../../server/alert-actions.ts";
import { formOf } from "../../server/posted.ts";
import { ruleWords } from "../../server/rule-words.ts";
import { isOwnerOfAll, scopeOf } from "../../server/scope.ts";

const route = "/[project]/alerts";

export const data = load(route, async (context) => {
  const { project, role, person } = scopeOf(context);
  const api = consoleApi();
  const alerts = await api.alerts.of(project.id);
  // Viewers need not know who is on duty.
  const channels = isAtLeast(role, "member") ? alerts.channels : alerts.channels.map(withoutTarget);
  return {
    ...alerts,
    channels,
    // Words come with the data, so that the screen loads less code.
    rules: alerts.rules.map((rule) => ({ ...rule, words: ruleWords(rule) })),
    sentTo: sentTo(alerts.channels.map(({ name }) => name)),
    now: api.now(),
    project,
    isOwner: isAtLeast(role, "owner"),
    decidesAll: isOwnerOfAll(person),
  };
});

/** No rule has channels of its own. */
function sentTo(channels: readonly string[]): string {
  if (channels.length === 0) return "Each rule that is on is sent to every channel. There is none yet.";
  if (channels.length === 1) return `Each rule that is on is sent to ${channels[0]}.`;
  return `Each rule that is on is sent to all ${channels.length} channels: ${channels.join(", ")}.`;
}

function withoutTarget<Channel extends { target: string }>(channel: Channel): Channel {
  return { ...channel, target: "" };
}

export const actions = {
  save: action({ route }, ({ input, ...context }) => saveChannel(scopeOf(context), formOf(input))),
  remove: action({ route }, ({ input, ...context }) => removeChannel(scopeOf(context), formOf(input))),
  test: action({ route }, ({ input, ...context }) => sendTest(scopeOf(context), formOf(input))),
  rule: action({ route }, ({ input, ...context }) => changeRule(scopeOf(context), formOf(input))),
  preview: action({ route, changesNothing: true }, ({ input, ...context }) =>
    previewRule(scopeOf(context), formOf(input)),
  ),
  conditions: action({ route }, ({ input, ...context }) => changeConditions(scopeOf(context), formOf(input))),
};
