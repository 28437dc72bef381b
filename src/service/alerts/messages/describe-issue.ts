import { digestOf, type Frame, type ReportedEvent } from "#protocol";
import { mainException } from "../../grouping/main-exception.ts";
import { titleLine } from "../../grouping/title.ts";
import type { EventRecord, IssueRecord } from "../../stores/records.ts";
import type { AlertMessage, AlertSource } from "./alert-message.ts";

/** Lines before and after the failing one. */
const linesAround = 3;
/** A minified line would fill a phone. */
const lineLength = 200;

export interface IssueAlert {
  readonly id: string;
  readonly reason: string;
  readonly project: { readonly id: number; readonly name: string };
  /** Address of the console, without a slash at its end. */
  readonly console: string;
}

/** The message about an issue, with what its newest event tells. */
export function describeIssue(alert: IssueAlert, issue: IssueRecord, event: EventRecord | undefined): AlertMessage {
  const { id, reason, project, console } = alert;
  return {
    id,
    reason,
    project,
    title: titleLine(issue.type, issue.title),
    level: issue.level,
    source: event?.body.kind === "whole" ? sourceOf(event.body.event) : undefined,
    route: event?.route ?? issue.route,
    release: event?.release ?? issue.lastRelease,
    environment: event?.environment,
    events: issue.events,
    visitors: issue.visitors === 0 ? undefined : issue.visitors,
    digest: digestOf(issue.lastEventId),
    link: `${console}/${project.id}/issues/${issue.number}`,
    at: issue.lastSeen,
    about: `holdfast-${project.id}-issue-${issue.number}`,
    items: [],
    itemsInAll: 0,
  };
}

/** The newest frame of the application that has its source. */
function sourceOf(event: ReportedEvent): AlertSource | undefined {
  const frames = mainException(event)?.frames ?? event.frames ?? [];
  const frame = frames.findLast(({ inApp, contextLine }) => inApp !== false && contextLine !== undefined);
  return frame && linesOf(frame);
}

/** Without the empty lines at the beginning. */
function fromFirstText(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first);
}

function linesOf({
  filename,
  absPath,
  contextLine = "",
  preContext = [],
  postContext = [],
  line = 0,
}: Frame): AlertSource {
  const before = fromFirstText(preContext.slice(-linesAround));
  const after = fromFirstText(postContext.slice(0, linesAround).toReversed()).toReversed();
  const texts = [...before, contextLine, ...after];
  return {
    file: `${filename ?? absPath ?? "?"}:${line}`,
    lines: texts.map((text, at) => ({
      number: line - before.length + at,
      text: text.slice(0, lineLength),
      isFailing: at === before.length,
    })),
  };
}
