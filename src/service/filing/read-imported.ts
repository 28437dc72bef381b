import type { ReportedEvent } from "#protocol";
import { type Grouping, groupEvent } from "../grouping/group-event.ts";
import { type ProjectScrubRule, scrubByRules } from "../intake/scrub-rules.ts";
import type { JournalRecord } from "../journal/record.ts";
import {
  type FiledAttachment,
  type FiledEvent,
  type FiledFeedback,
  type FiledIssue,
  type FiledItem,
  rowIdOf,
} from "../stores/filed.ts";
import type { AttachmentLine, EventLine, FeedbackLine, IssueLine } from "../stores/portable/lines.ts";
import type { RecordDeps } from "./read-record.ts";
import { toFiledEvent } from "./to-filed-event.ts";

/** Lines that become rows of their own. Figures and states follow when these are filed. */
export type FiledLine = IssueLine | EventLine | AttachmentLine | FeedbackLine;

/** What the journal keeps of an import. The lines were checked before. */
export interface ImportRecord {
  readonly by: string;
  readonly lines: readonly FiledLine[];
}

type Deps = Pick<RecordDeps, "scrubber" | "scrubRulesOf">;

/** Converts imported lines to items for the store. They have the times at which they first arrived. */
export function readImportedItems(record: JournalRecord, deps: Deps): FiledItem[] {
  const { position, project, receivedMs } = record;
  const given = JSON.parse(Buffer.from(record.bytes).toString("utf8")) as ImportRecord;
  const { by, lines } = withRules(given, deps.scrubRulesOf?.(project));
  return lines.map((line, n) => {
    const row = { rowId: rowIdOf(position, n), project };
    return toItem(line, row, deps, { receivedAt: Math.round(receivedMs), by });
  });
}

/** The rules of the importing project hold for what comes into it. Paths begin at the event, as when it is reported. */
function withRules(record: ImportRecord, rules: readonly ProjectScrubRule[] | undefined): ImportRecord {
  if (rules === undefined || rules.length === 0) return record;
  const scrub = scrubByRules(rules);
  const lines = record.lines.map((line) => {
    if (line.kind === "event") return { ...line, event: line.event && (scrub(line.event) as ReportedEvent) };
    return line.kind === "feedback" ? (scrub(line) as FeedbackLine) : line;
  });
  return { ...record, lines };
}

function toItem(line: FiledLine, row: Row, deps: Deps, act: { receivedAt: number; by: string }): FiledItem {
  switch (line.kind) {
    case "issue":
      return issueOf(line, { ...row, ...act });
    case "event":
      return eventOf(line, row, deps);
    case "attachment":
      return attachmentOf(line, row, deps);
    case "feedback":
      return feedbackOf(line, row, deps);
  }
}

interface Row {
  readonly rowId: number;
  readonly project: number;
}

function feedbackOf(line: FeedbackLine, row: Row, { scrubber }: Deps): FiledFeedback {
  const { at, eventId, name, email, url, ownId, facts } = line;
  const message = scrubber.text(line.message);
  return { kind: "feedback", ...row, receivedAt: at, at, eventId, name, email, url, message, ownId, facts };
}

function issueOf(line: IssueLine, row: Row & { receivedAt: number; by: string }): FiledIssue {
  const { fingerprints, version, rule, parts, type, title, culprit } = line;
  const [first = "", ...others] = fingerprints;
  const reason = { rule, parts };
  return {
    kind: "issue",
    ...row,
    number: line.number,
    grouping: [{ version, hash: first, reason }, ...others.map((hash) => ({ version, hash, reason }))],
    title: { type, text: title, culprit },
    level: line.level,
    platform: line.platform,
    route: line.route,
    release: line.firstRelease,
    at: line.firstSeen,
    eventId: line.lastEventId,
  };
}

/** Of an event whose body was not stored. */
const noBody: ReportedEvent = {
  level: "error",
  exceptions: [],
  tags: {},
  breadcrumbs: [],
  contexts: {},
  extra: {},
  modules: {},
  debugImages: [],
};

function eventOf(line: EventLine, row: Row, { scrubber }: Deps): FiledEvent {
  const given = line.event ?? noBody;
  const event = { ...scrubber.event(given), eventId: line.id };
  const filed = toFiledEvent({
    event: { ...event, otherId: line.otherId },
    user: given.user,
    row,
    time: { receivedAt: line.receivedAt, correction: 0 },
    chunks: [],
    // Its issue has the person that it had.
    ownerBy: undefined,
    body: { form: "filed", bytes: Buffer.from(JSON.stringify(event)) },
  });
  const { level, route, release, environment, traceId, visitor } = line;
  return {
    ...filed,
    at: line.at,
    level,
    route,
    release,
    environment,
    traceId,
    ...visitorOf(filed, visitor),
    grouping: groupingOf(line, event),
    storesBody: line.event !== undefined,
  };
}

/**
 * A row has one hash, of the visitor or else of the visit. If the event does not say that it is the visitor, the hash
 * is not counted: the figures that follow have all visitors.
 */
function visitorOf(
  { visitor, session, aliases }: FiledEvent,
  hash: number | undefined,
): Pick<FiledEvent, "visitor" | "session" | "aliases"> {
  if (hash === undefined || hash === visitor) return { visitor, session, aliases };
  return { visitor: undefined, session: hash, aliases: [] };
}

/** The group is known by its fingerprint, since issues are imported first. */
function groupingOf({ group }: EventLine, event: ReportedEvent): Grouping {
  const grouping = groupEvent(event);
  if (group === undefined) return grouping;
  const [{ version, reason }] = grouping;
  return [{ version, hash: group, reason }];
}

function attachmentOf(line: AttachmentLine, row: Row, { scrubber }: Deps): FiledAttachment {
  const bytes = Buffer.from(line.base64, "base64");
  const { eventId, receivedAt, filename, contentType } = line;
  return {
    kind: "attachment",
    ...row,
    receivedAt,
    eventId,
    eventRow: undefined,
    filename,
    contentType,
    bytes: scrubber.file({ filename, contentType: contentType ?? "", attachmentType: "", bytes }).bytes,
  };
}
