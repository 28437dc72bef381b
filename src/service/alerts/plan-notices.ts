import type { AlertRule, NamedChannel } from "./alert-settings.ts";
import type { AlertMessage } from "./messages/alert-message.ts";
import type { NewNotice } from "./outbox.ts";

export interface FloodLimits {
  /** Messages of one channel in `windowMs`. More than a person reads in a minute. */
  readonly messages: number;
  readonly windowMs: number;
  /** One issue notifies so rarely, unless it regresses. */
  readonly sameIssueMs: number;
}

export const floodLimits: FloodLimits = { messages: 20, windowMs: 60_000, sameIssueMs: 86_400_000 };

/** What a look has found for one project. */
export interface FoundAlert {
  readonly key: string;
  readonly rule: AlertRule;
  readonly message: AlertMessage;
}

export interface Plan {
  readonly notices: readonly NewNotice[];
  /** By channel: how many were left out, for one summary. */
  readonly leftOut: ReadonlyMap<string, number>;
}

export interface PlanDeps {
  readonly project: number;
  readonly channels: readonly NamedChannel[];
  /** By channel: messages added in the current window. */
  readonly recent: ReadonlyMap<string, number>;
  /** When a message may be sent. */
  readonly dueAt: number;
  readonly now: number;
  readonly limits: FloodLimits;
}

/** Distributes alerts to channels. What exceeds the bound of a channel is counted and summed up in one message. */
export function planNotices(found: readonly FoundAlert[], more: number, deps: PlanDeps): Plan {
  const { project, channels, recent, dueAt, now, limits } = deps;
  const notices: NewNotice[] = [];
  const leftOut = new Map<string, number>();
  for (const { id } of channels) {
    let room = limits.messages - (recent.get(id) ?? 0);
    for (const { key, rule, message } of found) {
      if (!isFor(rule, id, now)) continue;
      if (room > 0) notices.push({ key, project, channel: id, message, dueAt });
      else leftOut.set(id, (leftOut.get(id) ?? 0) + 1);
      room -= 1;
    }
    if (more > 0) leftOut.set(id, (leftOut.get(id) ?? 0) + more);
  }
  return { notices, leftOut };
}

function isFor({ channels, mutedUntil, isOn }: AlertRule, channel: string, now: number): boolean {
  return isOn && (mutedUntil ?? 0) <= now && (channels.length === 0 || channels.includes(channel));
}
