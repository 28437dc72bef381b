import { readCount } from "../read-count.ts";
import type { NewNotice, NewSummary } from "./alert-outbox.ts";
import type { AlertRule, NamedChannel } from "./alert-settings.ts";
import type { AlertMessage } from "./messages/alert-message.ts";

export interface FloodLimits {
  /** Messages of one channel in `windowMs`. More than a person reads; the rest is in one summary. */
  readonly messages: number;
  /** Longer than a flood of a minute needs to be filed. */
  readonly windowMs: number;
  /** One subject, such as an issue, notifies a channel so rarely, unless it regresses. */
  readonly sameSubjectMs: number;
}

export const floodLimits: FloodLimits = { messages: 20, windowMs: 600_000, sameSubjectMs: 86_400_000 };

/** Applies the operator's setting. A program behind a webhook may read more than a person. */
export function floodLimitsOf(env: NodeJS.ProcessEnv): FloodLimits {
  const messages = readCount(env, "HOLDFAST_ALERT_MESSAGES");
  return messages === undefined ? floodLimits : { ...floodLimits, messages };
}

/** What a rule has found in one project. */
export interface FoundAlert {
  /** The same for the same cause, also after a restart and in another process. */
  readonly key: string;
  readonly subject: string;
  readonly message: AlertMessage;
  /** When the subject may notify a channel again. Undefined: after a day. A regression notifies at once. */
  readonly againAfterMs: number | undefined;
}

export interface Plan {
  readonly notices: readonly NewNotice[];
  readonly summaries: readonly NewSummary[];
}

export interface PlanDeps {
  readonly project: number;
  readonly channels: readonly NamedChannel[];
  /** By channel: messages added in the current window. */
  readonly recent: ReadonlyMap<string, number>;
  /** End of the quiet hours, if it is quiet now. What is found meanwhile is sent as one summary. */
  readonly quietUntil: number | undefined;
  readonly now: number;
  readonly limits: FloodLimits;
  readonly describeSummary: NewSummary["describe"];
}

/** What a look has found: alerts, and how many others there are that it did not describe. */
export interface Findings {
  readonly found: readonly FoundAlert[];
  readonly rule: AlertRule;
  readonly more: number;
}

/** Distributes alerts to channels. What exceeds the bound of a channel is counted and summed up in one message. */
export function planNotices({ found, rule, more }: Findings, deps: PlanDeps): Plan {
  const notices: NewNotice[] = [];
  const summaries: NewSummary[] = [];
  if (!rule.isOn || (rule.mutedUntil ?? 0) > deps.now) return { notices, summaries };
  for (const { id } of deps.channels) {
    const room = deps.quietUntil === undefined ? Math.max(0, deps.limits.messages - (deps.recent.get(id) ?? 0)) : 0;
    notices.push(...found.slice(0, room).map((alert) => noticeOf(alert, id, deps)));
    const rest = found.slice(room);
    if (rest.length + more > 0) summaries.push(summaryOf(rest, more, id, deps));
  }
  return { notices, summaries };
}

function noticeOf({ key, subject, message, againAfterMs }: FoundAlert, channel: string, deps: PlanDeps): NewNotice {
  const unlessSince = againAfterMs === 0 ? undefined : deps.now - (againAfterMs ?? deps.limits.sameSubjectMs);
  return { key, subject, unlessSince, project: deps.project, channel, message, dueAt: deps.now };
}

function summaryOf(rest: readonly FoundAlert[], more: number, channel: string, deps: PlanDeps): NewSummary {
  const dueAt = deps.quietUntil ?? deps.now + deps.limits.windowMs;
  const alerts = rest.map((alert) => noticeOf(alert, channel, deps));
  return { project: deps.project, channel, alerts, more, dueAt, describe: deps.describeSummary };
}
