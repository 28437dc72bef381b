import type { IssueState } from "../issues/issue-state.ts";
import type { HistoryEntry, IssueRecord } from "./records.ts";

/** Columns of an issue in every store, besides the id of its newest event. */
export interface IssueRow {
  id: number;
  project: number;
  number: number;
  state: string;
  type: string | null;
  title: string;
  culprit: string | null;
  level: string;
  platform: string | null;
  route: string | null;
  first_seen: number;
  last_seen: number;
  events: number;
  visitors: number;
  stuck: number;
  first_release: string | null;
  last_release: string | null;
  assignee: string | null;
  ticket: string | null;
  merged_into: number | null;
}

export function issueRecordOf(row: IssueRow, lastEventId: string): IssueRecord {
  return {
    id: row.id,
    project: row.project,
    number: row.number,
    state: stateOf(row.state),
    type: row.type ?? undefined,
    title: row.title,
    culprit: row.culprit ?? undefined,
    level: row.level,
    platform: row.platform ?? undefined,
    route: row.route ?? undefined,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    events: row.events,
    visitors: row.visitors,
    stuck: row.stuck,
    firstRelease: row.first_release ?? undefined,
    lastRelease: row.last_release ?? undefined,
    lastEventId,
    assignee: row.assignee ?? undefined,
    ticket: row.ticket ?? undefined,
    mergedInto: row.merged_into ?? undefined,
  };
}

/** Author and time of a change. */
export interface Act {
  by: string;
  at: number;
}

/** Author of assignments by an ownership rule, which the entry names. */
export const ruleAuthor = "rules";

/** A store has written it from the same union. */
export function stateOf(text: string): IssueState {
  return JSON.parse(text) as IssueState;
}

export function whatOf(text: string): HistoryEntry["what"] {
  return JSON.parse(text) as HistoryEntry["what"];
}
