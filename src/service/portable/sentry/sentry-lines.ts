import { hash } from "node:crypto";
import { isObject, type JsonObject, readLevel } from "#protocol";
import { type Fingerprint, groupEvent } from "../../grouping/group-event.ts";
import { titleOf } from "../../grouping/title.ts";
import type { IssueState } from "../../issues/issue-state.ts";
import type { PortableEntry, PortableLine } from "../../stores/portable/lines.ts";
import { type SentryEvent, sentryText, sentryTime } from "./sentry-event.ts";

/** What is read of one issue. */
export interface SentryIssue {
  readonly issue: JsonObject;
  /** Newest first. */
  readonly events: readonly SentryEvent[];
  readonly comments: readonly JsonObject[];
}

export interface IssueContext {
  /** Address of the server, since other servers use the same ids. */
  readonly from: string;
  /** Fingerprints that belong to another issue already. */
  readonly isTaken: (fingerprint: string) => boolean;
  readonly now: number;
}

/** The lines of an issue, and its fingerprints. */
export interface SentryIssueLines {
  readonly lines: readonly PortableLine[];
  readonly fingerprints: readonly string[];
}

/**
 * Writes an issue of Sentry as lines of an import. It gets the fingerprints that its events have here, so that new
 * events of the same error join it. Two issues of Sentry may have the same one: then the first has it, and the second
 * stays an issue of its own.
 */
export function linesOfIssue({ issue, events, comments }: SentryIssue, context: IssueContext): SentryIssueLines {
  const id = String(issue.id);
  const groupings = events.map(({ event }) => groupEvent(event)[0]);
  const own: Fingerprint = {
    version: 1,
    hash: hash("sha1", `sentry ${context.from} ${id}`).slice(0, 32),
    reason: { rule: "custom-fingerprint", parts: [sentryText(issue.shortId) ?? id] },
  };
  const free = groupings.filter((one) => !context.isTaken(one.hash));
  const [main] = free.length > 0 ? free : [own];
  const { version, reason } = main ?? own;
  const fingerprints = [...new Set([...free.map((one) => one.hash), own.hash])].slice(0, 50);
  const group = fingerprints[0] ?? own.hash;
  const shown = shownOf(issue, events);
  const firstSeen = sentryTime(issue.firstSeen) ?? events.at(-1)?.at ?? context.now;
  const lastSeen = Math.max(sentryTime(issue.lastSeen) ?? 0, ...events.map(({ at }) => at), firstSeen);
  const lastEventId = events[0]?.id ?? own.hash;
  const lines: PortableLine[] = [
    {
      kind: "issue",
      fingerprints,
      version,
      rule: reason.rule,
      parts: reason.parts,
      ...shown,
      platform: sentryText(issue.platform),
      route: events[0]?.event.transaction,
      firstSeen,
      firstRelease: events.at(-1)?.event.release,
      lastEventId,
    },
    ...events.map(
      ({ id: eventId, at, receivedAt, event }): PortableLine => ({
        kind: "event",
        id: eventId,
        at,
        receivedAt,
        group,
        level: event.level,
        route: event.transaction,
        release: event.release,
        environment: event.environment,
        traceId: event.trace?.traceId,
        event,
      }),
    ),
    {
      kind: "figures",
      of: "issue_group",
      group,
      rows: [
        {
          type: shown.type ?? null,
          title: shown.title,
          culprit: shown.culprit ?? null,
          level: shown.level,
          last_release: events[0]?.event.release ?? null,
          last_event: lastEventId,
          events: Math.max(countOf(issue.count), events.length),
          visitors: countOf(issue.userCount),
          texts: 0,
          stuck: 0,
          registers: null,
          first_seen: firstSeen,
          last_seen: lastSeen,
        },
      ],
    },
    {
      kind: "triage",
      group,
      state: stateOf(issue, lastSeen),
      assignee: assigneeOf(issue.assignedTo),
      ticket: ticketOf(issue.permalink),
      history: comments.flatMap((comment) => commentOf(comment) ?? []),
    },
  ];
  return { lines, fingerprints };
}

/** The newest event says more than the issue, whose title is cut. */
function shownOf(
  issue: JsonObject,
  [newest]: readonly SentryEvent[],
): Pick<Extract<PortableLine, { kind: "issue" }>, "type" | "title" | "culprit" | "level"> {
  const level = readLevel(issue.level) ?? newest?.event.level ?? "error";
  if (newest !== undefined) {
    const { type, text, culprit } = titleOf(newest.event);
    return { type, title: text, culprit, level };
  }
  const metadata = isObject(issue.metadata) ? issue.metadata : {};
  const title = sentryText(metadata.value) ?? sentryText(metadata.title) ?? sentryText(issue.title) ?? "(no message)";
  return { type: sentryText(metadata.type), title: title.slice(0, 200), culprit: sentryText(issue.culprit), level };
}

const by = "Sentry";

function stateOf({ status, statusDetails }: JsonObject, at: number): IssueState {
  const details = isObject(statusDetails) ? statusDetails : {};
  if (status === "resolved" || status === "resolvedInNextRelease") {
    const release = sentryText(details.inRelease);
    if (release !== undefined) return { kind: "resolved", at, by, fixed: { in: "release", release } };
    const isNext = details.inNextRelease === true || status === "resolvedInNextRelease";
    return { kind: "resolved", at, by, fixed: isNext ? { in: "next-release", after: undefined } : { in: "now" } };
  }
  if (status !== "ignored" && status !== "muted") return { kind: "open" };
  const end = sentryTime(details.ignoreUntil);
  return { kind: "muted", at, by, until: end === undefined ? { kind: "for-ever" } : { kind: "time", at: end } };
}

/** A person or a team. */
function assigneeOf(value: unknown): string | undefined {
  return isObject(value) ? (sentryText(value.email) ?? sentryText(value.name)) : undefined;
}

/** Keeps the way back to the issue in Sentry. */
function ticketOf(permalink: unknown): string | undefined {
  const address = sentryText(permalink);
  return address !== undefined && /^https?:\/\//.test(address) && address.length <= 1_000 ? address : undefined;
}

function commentOf({ user, data, dateCreated }: JsonObject): PortableEntry | undefined {
  const text = isObject(data) ? sentryText(data.text) : undefined;
  const at = sentryTime(dateCreated);
  if (text === undefined || at === undefined) return undefined;
  const author = isObject(user) ? (sentryText(user.email) ?? sentryText(user.name)) : undefined;
  return { at, by: author ?? by, what: { kind: "comment", text: text.slice(0, 4_000) } };
}

/** Sentry writes some counts as texts. */
function countOf(value: unknown): number {
  const count = Number(value);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
