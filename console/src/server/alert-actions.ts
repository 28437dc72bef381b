import { invalid } from "holdfast/server";
import { type AlertRule, consoleApi } from "holdfast/service";
import { muteEnd } from "./mute-end.ts";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { isOwnerOfAll, needs, type Scope } from "./scope.ts";

/** Fields of all kinds of channels. Each kind reads its own. */
const channelFields = ["url", "secret", "token", "chat", "routingKey"] as const;

export async function saveChannel(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const id = textIn(form, "id", 80);
  const given = Object.fromEntries(channelFields.map((name) => [name, textIn(form, name)]));
  const problems = await consoleApi().administration.alerts.saveChannel(
    scope.project.id,
    {
      id: id === "" ? undefined : id,
      name: textIn(form, "name", 80),
      channel: { ...given, kind: textIn(form, "kind", 20), to: listIn(form, "to") },
    },
    scope.person.name,
  );
  if (Object.keys(problems).length > 0) invalid({ ...problems });
  return { said: id === "" ? "Added. Send a test to see whether messages arrive." : "Changed." };
}

export async function removeChannel(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const { alerts } = consoleApi().administration;
  if (!(await alerts.removeChannel(scope.project.id, textIn(form, "id", 80), scope.person.name))) isGone();
  return { said: "Removed. Messages that were waiting for it are not sent." };
}

export async function sendTest(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const outcome = (await consoleApi().alerts.sendTest(scope.project.id, textIn(form, "id", 80))) ?? isGone();
  if (outcome.kind === "failed") invalid({ "": outcome.why });
  return { said: "Sent. Look whether it has arrived." };
}

export async function changeRule(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const { alerts } = consoleApi().administration;
  const problems = await alerts.changeRule(scope.project.id, ruleIn(scope, form), scope.person.name);
  if (Object.keys(problems).length > 0) invalid({ ...problems });
  return { said: "Kept. It applies from now on." };
}

/** Changes nothing. */
export async function previewRule(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "member");
  const times = await consoleApi().alerts.preview(scope.project.id, ruleIn(scope, form));
  if (times === undefined) return { said: "Nothing of the past is known about it." };
  return { said: `It would have fired ${times === 1 ? "once" : `${times} times`} in the last 7 days.` };
}

function ruleIn(scope: Scope, form: FormData): AlertRule {
  const { administration, now } = consoleApi();
  const { rules, quietHours } = administration.alerts.of(scope.project.id);
  const before =
    rules.find(({ kind }) => kind === textIn(form, "kind", 20)) ?? invalid({ "": "There is no such rule." });
  const mute = { now: now(), before: before.mutedUntil, timeZone: quietHours?.timeZone };
  return {
    ...before,
    isOn: form.get("isOn") === "on",
    mutedUntil: muteEnd(textIn(form, "mute", 20), mute),
    filters: {
      levels: form.getAll("level").filter((level) => typeof level === "string"),
      environments: listIn(form, "environments"),
      routes: listIn(form, "routes"),
    },
    events: numberIn(form, "events", before.events),
    visitors: numberIn(form, "visitors", before.visitors),
    minutes: numberIn(form, "minutes", before.minutes),
    factor: numberIn(form, "factor", before.factor),
  };
}

/** Rules show only the numbers that they use. */
function numberIn(form: FormData, name: string, before: number): number {
  return form.has(name) ? Number(textIn(form, name, 20)) : before;
}

/** Only an owner of all projects decides which hosts of the private network are reached: they are the operator's. */
export async function changeConditions(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const { alerts } = consoleApi().administration;
  const { allowedHosts } = alerts.of(scope.project.id);
  const hours = { from: Number(textIn(form, "from", 2)), to: Number(textIn(form, "to", 2)) };
  const problems = await alerts.changeConditions(
    scope.project.id,
    {
      quietHours: form.get("isQuiet") === "on" ? { ...hours, timeZone: textIn(form, "timeZone", 80) } : undefined,
      allowedHosts: isOwnerOfAll(scope.person) ? listIn(form, "allowedHosts") : allowedHosts,
      summaryMail: summaryMailIn(form),
    },
    scope.person.name,
  );
  if (Object.keys(problems).length > 0) invalid({ ...problems });
  return { said: "Kept." };
}

function summaryMailIn(form: FormData): "off" | "daily" | "weekly" {
  const wish = textIn(form, "summaryMail", 10);
  return wish === "daily" || wish === "weekly" ? wish : "off";
}

function isGone(): never {
  return invalid({ "": "This channel was removed meanwhile." });
}

function listIn(form: FormData, name: string): string[] {
  return textIn(form, name)
    .split(/[\s,;]+/)
    .filter((one) => one !== "");
}
