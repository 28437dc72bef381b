import { randomBytes } from "node:crypto";
import { isObject } from "#protocol";
import {
  type AlertRule,
  alertLimits,
  type NamedChannel,
  type ProjectAlerts,
  ruleBounds,
  type SummaryMail,
} from "../alerts/alert-settings.ts";
import type { Channel } from "../alerts/channels/channel.ts";
import { readChannel } from "../alerts/channels/read-channel.ts";
import { isTimeZone } from "../check-ins/cron.ts";
import type { AlertSettings } from "./alert-documents.ts";

/** The alerts of a project as people see them: without the secrets of its channels. */
export interface ShownAlerts extends Omit<ProjectAlerts, "channels"> {
  readonly channels: readonly ShownChannel[];
}

export interface ShownChannel {
  readonly id: string;
  readonly name: string;
  readonly kind: Channel["kind"];
  /** Where messages go, as far as it is no secret: recipients, or a host. */
  readonly target: string;
}

/** A channel as it was typed in. Secrets that are left empty stay as they are. */
export interface ChannelWish {
  /** Undefined for a new channel. */
  readonly id: string | undefined;
  readonly name: string;
  readonly channel: Readonly<Record<string, unknown>>;
}

export interface AlertConditions {
  /** Typed in as text: hours, and the name of a time zone. `undefined` for no quiet hours. */
  readonly quietHours: { readonly from: number; readonly to: number; readonly timeZone: string } | undefined;
  readonly allowedHosts: readonly string[];
  readonly summaryMail: SummaryMail;
}

/** By field. Empty if the change was made. */
export type AlertProblems = Readonly<Record<string, string>>;

/** Changes of alerts. Each is in the audit log, without secrets. */
export interface AlertAdministration {
  of(project: number): ShownAlerts;
  saveChannel(project: number, wish: ChannelWish, by: string): Promise<AlertProblems>;
  /** False if there is no such channel any more. */
  removeChannel(project: number, id: string, by: string): Promise<boolean>;
  changeRule(project: number, rule: AlertRule, by: string): Promise<AlertProblems>;
  changeConditions(project: number, conditions: AlertConditions, by: string): Promise<AlertProblems>;
}

export interface AlertAdministrationDeps {
  readonly settings: AlertSettings;
  readonly record: (entry: { by: string; project: number; what: string }) => Promise<void>;
  /** Awaited before a project gets a channel and has none. */
  readonly beforeFirstChannel: (project: number) => Promise<void>;
}

const longestName = 80;

export function openAlertAdministration({
  settings,
  record,
  beforeFirstChannel,
}: AlertAdministrationDeps): AlertAdministration {
  return {
    of: (project) => shownAlerts(settings.of(project)),
    async saveChannel(project, { id, name, channel: typed }, by) {
      const { channels } = settings.of(project);
      const before = channels.find((one) => one.id === id);
      const read = readChannel(before === undefined ? typed : withKeptSecrets(before.channel, typed));
      if (read.kind === "problem") return { [read.field]: read.why };
      if (name.trim() === "") return { name: "Give it a name." };
      if (id !== undefined && before === undefined) return { "": "This channel was removed meanwhile." };
      if (before === undefined && channels.length >= alertLimits.channels)
        return { "": `A project has at most ${alertLimits.channels} channels.` };
      const saved: NamedChannel = {
        id: before?.id ?? randomBytes(8).toString("hex"),
        name: name.trim().slice(0, longestName),
        channel: read.channel,
      };
      if (channels.length === 0) await beforeFirstChannel(project);
      await settings.change(project, (alerts) => ({ ...alerts, channels: withChannel(alerts.channels, saved) }));
      const what = before === undefined ? "added" : "changed";
      await record({ by, project, what: `${what} the alert channel ${saved.name} (${saved.channel.kind})` });
      return {};
    },
    async removeChannel(project, id, by) {
      const channel = settings.of(project).channels.find((one) => one.id === id);
      if (channel === undefined) return false;
      await settings.change(project, (alerts) => ({
        ...alerts,
        channels: alerts.channels.filter((one) => one.id !== id),
      }));
      await record({ by, project, what: `removed the alert channel ${channel.name} (${channel.channel.kind})` });
      return true;
    },
    async changeRule(project, rule, by) {
      const problems = ruleProblems(rule);
      if (Object.keys(problems).length > 0) return problems;
      await settings.change(project, (alerts) => ({
        ...alerts,
        rules: alerts.rules.map((one) => (one.kind === rule.kind ? rule : one)),
      }));
      await record({ by, project, what: `changed the alert rule ${rule.kind}: ${ruleInWords(rule)}` });
      return problems;
    },
    async changeConditions(project, conditions, by) {
      const { quietHours, allowedHosts, summaryMail } = conditions;
      const problems = conditionProblems(conditions);
      if (Object.keys(problems).length > 0) return problems;
      await settings.change(project, (alerts) => ({ ...alerts, quietHours, allowedHosts, summaryMail }));
      const hours = quietHours ? `from ${quietHours.from} to ${quietHours.to} ${quietHours.timeZone}` : "none";
      await record({
        by,
        project,
        what: `set quiet hours of alerts: ${hours}; private hosts: ${allowedHosts.join(", ") || "none"}; summary: ${summaryMail}`,
      });
      return problems;
    },
  };
}

export function shownAlerts(alerts: ProjectAlerts): ShownAlerts {
  return {
    ...alerts,
    channels: alerts.channels.map(({ id, name, channel }) => ({
      id,
      name,
      kind: channel.kind,
      target: targetOf(channel),
    })),
  };
}

/** The path of a webhook is a secret: chat services accept messages from everyone who knows it. */
function targetOf(channel: Channel): string {
  switch (channel.kind) {
    case "mail":
      return channel.to.join(", ");
    case "telegram":
      return `chat ${channel.chat}`;
    case "pagerduty":
      return "events.pagerduty.com";
    default:
      return new URL(channel.url).host;
  }
}

/** Values of a channel that were left empty are taken from before. Another kind needs all of its values. */
function withKeptSecrets(before: Channel, typed: Readonly<Record<string, unknown>>): unknown {
  if (typed.kind !== before.kind) return typed;
  const given = Object.entries(typed).filter(
    ([, value]) => value !== "" && !(Array.isArray(value) && value.length === 0),
  );
  const known: unknown = before;
  return { ...(isObject(known) ? known : {}), ...Object.fromEntries(given) };
}

function withChannel(channels: readonly NamedChannel[], saved: NamedChannel): readonly NamedChannel[] {
  const isKnown = channels.some(({ id }) => id === saved.id);
  return isKnown ? channels.map((one) => (one.id === saved.id ? saved : one)) : [...channels, saved];
}

function conditionProblems({ quietHours, allowedHosts }: AlertConditions): AlertProblems {
  const wrong = allowedHosts.find((host) => !/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host));
  return {
    ...(quietHours && !isTimeZone(quietHours.timeZone) && { timeZone: "Not a time zone, such as Europe/Berlin." }),
    ...(quietHours && !(isHour(quietHours.from) && isHour(quietHours.to)) && { from: "Hours from 0 to 23." }),
    ...(quietHours &&
      quietHours.from === quietHours.to && { from: "These hours are the whole day: mute rules instead." }),
    ...(wrong !== undefined && { allowedHosts: `${wrong.slice(0, 80)} is no host, such as chat.internal:8443.` }),
    ...(allowedHosts.length > alertLimits.allowedHosts && { allowedHosts: `At most ${alertLimits.allowedHosts}.` }),
  };
}

function ruleProblems(rule: AlertRule): AlertProblems {
  const problems: Record<string, string> = {};
  for (const name of ["events", "visitors", "minutes", "factor"] as const) {
    const [least, most] = ruleBounds[name];
    const isWithin = rule[name] >= least && rule[name] <= most;
    if (!isWithin) problems[name] = `From ${least} to ${most.toLocaleString("en-US")}.`;
  }
  return problems;
}

function isHour(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 23;
}

function ruleInWords({ isOn, mutedUntil }: AlertRule): string {
  if (!isOn) return "off";
  return mutedUntil === undefined ? "on" : "on, muted";
}
