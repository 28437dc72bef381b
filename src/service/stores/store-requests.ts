import type { IssueAction } from "../issues/issue-state.ts";
import type { LogLine, SegmentKind } from "./filed.ts";
import type { IssueFilter } from "./filter-language.ts";
import type { IssueRecord, MonitorName } from "./records.ts";

/** A change of several issues of one project, all or none. */
export interface ChangeRequest {
  project: number;
  issues: readonly number[];
  change: IssueChange;
  by: string;
  at: number;
}

export type IssueChange =
  | IssueAction
  | { kind: "assign"; to: string | undefined }
  /** Keeps the address of its ticket elsewhere, or forgets it. */
  | { kind: "ticket"; address: string | undefined }
  | { kind: "comment"; text: string }
  /** Merges the issues into this one. */
  | { kind: "merge"; into: number }
  /** Splits off what was merged into the issues. */
  | { kind: "split"; groups?: readonly number[] }
  /** Undoes the last change of the same person to the issues, if nothing has happened to them since. */
  | { kind: "undo" };

/** A change of a scheduled task. One that does not exist is left alone. */
export type MonitorChange = MonitorName &
  (
    | { kind: "mute"; isMuted: boolean }
    | { kind: "delete" }
    /** What its evaluation has found, as JSON. */
    | { kind: "watched"; watch: string }
  );

/**
 * `quick`: structure of the files, and counters against rows. `bodies`: also every stored event and trace against its
 * checksum. `thorough`: also every index.
 */
export type CheckDepth = "quick" | "bodies" | "thorough";

/** Called with the number of read events and the total. Returns `false` to skip the rest. */
export type ShouldContinue = (progress: { events: number; of: number }) => boolean;

export type SeriesStep = "hour" | "day";

/** Counters of one project, by hour or day. */
export interface StepQuery {
  project: number;
  step: SeriesStep;
  from: number;
  to: number;
}

/** Measures by route and by step. */
export interface BothWaysQuery extends StepQuery {
  /** Those that are summed by step. A screen shows few of them by hour. */
  ofSteps: readonly string[];
}

/** A quarter of an hour, or several together. */
export type TrafficStep = "quarter" | SeriesStep;

export interface TrafficQuery {
  project: number;
  step: TrafficStep;
  from: number;
  to: number;
}

/** Times before which counters are deleted. */
export interface TrafficAges {
  quarters: number;
  visitors: number;
}

/** One route, with these counters. */
export interface RouteQuery extends StepQuery {
  route: string;
  counters: readonly string[];
}

/** How many visitors of a group got no further. */
export interface StuckGroup {
  group: number;
  visitors: number;
}

export interface SeriesQuery extends StepQuery {
  issues: readonly number[];
}

export interface CountQuery extends StepQuery {
  /** Only this counter. */
  name?: string;
}

export interface IssueQuery {
  project: number;
  filter: IssueFilter;
  sort: IssueSort;
  after?: IssueCursor;
  /** Instead of `after`: the rows just before this one, in the order of the list. Such a page has no `next`. */
  before?: IssueCursor;
  limit: number;
}

/** `stuck`: by visitors who got no further, and equal ones by their newest event. */
export type IssueSort = "stuck" | "last-seen" | "first-seen" | "events" | "visitors";

/** Sort value and id of the last row. The next page begins after it, even if more was filed meanwhile. */
export interface IssueCursor {
  value: number;
  id: number;
}

export interface IssuePage {
  issues: readonly IssueRecord[];
  next?: IssueCursor;
}

export interface EventCursor {
  at: number;
  rowId: number;
}

/** Feedback of one project, newest first: what is open, or what is archived. */
export interface FeedbackQuery {
  project: number;
  archived: boolean;
  /** The last row of the page before. */
  before?: { at: number; id: number } | undefined;
  limit: number;
}

/** Archives feedback, or opens it again. */
export interface FeedbackChange {
  project: number;
  ids: readonly number[];
  archived: boolean;
  at: number;
}

export interface SegmentQuery {
  project: number;
  route: string;
  kind?: SegmentKind;
  from: number;
  to: number;
  /** Minimum and maximum duration, for examples around a percentile. */
  minMs?: number;
  maxMs?: number;
  limit: number;
}

export interface LogQuery {
  project: number;
  from: number;
  to: number;
  filter: IssueFilter;
  /** The last line of the page before. */
  after?: LogCursor | undefined;
  limit: number;
  /** After so many opened lines the page ends. Its cursor continues there. */
  mostLines: number;
  /** Also counts the lines that match, by level and by so many milliseconds, in as many lines as may be opened. */
  countEveryMs?: number | undefined;
}

/** Place of a line in a list, newest first. */
export interface LogCursor {
  at: number;
  block: number;
  index: number;
}

export interface LogPage {
  lines: readonly (LogLine & { place: LogCursor })[];
  /** Undefined if there are no older lines in the period. */
  next?: LogCursor;
  /** All newer lines were searched. Undefined if the whole period was. */
  searchedFrom: number | undefined;
  counts: readonly LogCount[];
}

export interface LogCount {
  at: number;
  level: LogLine["level"];
  n: number;
}

export interface RecentQuery {
  project: number;
  /** The last read row. Without one, the newest rows are returned. */
  after?: number | undefined;
  limit: number;
}

export interface TrailQuery {
  project: number;
  visitor: number;
  from: number;
  to: number;
}

export interface VisitorHistoryQuery {
  project: number;
  visitor: number;
  /** Only earlier records. */
  before?: number | undefined;
  /** Events and segments together. All of the last moment are included. */
  limit: number;
}

/** Feedback about these events, of this e-mail address, or with an own id that begins with these 15 characters. */
export type FeedbackSubject = { eventIds: readonly string[] } | { email: string } | { ownId: string };

/** A page of the visitors who met an issue. */
export interface IssueVisitorsQuery {
  project: number;
  issue: number;
  /** Number of its newest events in which visitors are counted. */
  among: number;
  sort: "last" | "first" | "events";
  /** Number of visitors before the first one. */
  from: number;
  limit: number;
}
