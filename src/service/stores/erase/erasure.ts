/**
 * Everything is found by hashes: of visitors (`visitorHash`), of addresses that a text mentions (`mentionHash`). So the
 * marks of an erasure contain no identity, and are enough to repeat it.
 */
export interface ErasureMatch {
  /** Everything of the project. */
  readonly all: boolean;
  readonly groups: readonly number[];
  readonly eventIds: readonly string[];
  /** Hashes of ids, to repeat an erasure. */
  readonly eventMarks: readonly number[];
  readonly visitors: readonly number[];
  readonly mentions: readonly number[];
  /** Traces of the visitors. Their events without a visitor, spans and log lines go too. */
  readonly traces: readonly string[];
}

export const matchesNothing: ErasureMatch = {
  all: false,
  groups: [],
  eventIds: [],
  eventMarks: [],
  visitors: [],
  mentions: [],
  traces: [],
};

/** `references`: the first bodies of groups, which others are compressed against. Their ids are those of the groups. */
export type ErasableKind = "events" | "spans" | "logs" | "references";

export const erasableKinds: readonly ErasableKind[] = ["events", "spans", "logs", "references"];

/** Rows of one partition to be erased, after a row, in the order of their ids. */
export interface ErasableQuery {
  readonly project: number;
  readonly part: string;
  readonly kind: ErasableKind;
  readonly after: number;
  /** How many rows are looked at. */
  readonly limit: number;
  readonly match: ErasureMatch;
}

export interface ErasablePage {
  readonly ids: readonly number[];
  /** The last row that was looked at. Undefined at the end. */
  readonly next: number | undefined;
  /** Of the found events. */
  readonly eventIds: readonly string[];
  /** How many of the found events each group has. */
  readonly eventsOfGroups: ReadonlyMap<number, number>;
  /** Traces, visits and other identities of the visitors in what was found. */
  readonly linked: Pick<ErasureMatch, "traces" | "visitors" | "mentions">;
  readonly counts: ErasureCounts;
}

/** What an erasure deletes beside the rows of partitions. */
export interface LastingQuery {
  readonly project: number;
  readonly match: ErasureMatch;
  /** How many events of each group the erasure deletes. An issue goes if none is left of all its groups. */
  readonly eventsOfGroups: ReadonlyMap<number, number>;
}

/** One bounded piece of an erasure, for the writer. */
export type ErasureStep =
  /** Before anything is deleted: what arrives later, or is read again from the journal, is dropped. */
  | { readonly kind: "remember"; readonly marks: readonly ErasureMark[]; readonly groups: readonly number[] }
  | { readonly kind: "rows"; readonly rows: ErasedRows }
  /** What outlives the partitions: feedback, issues without events, names. */
  | { readonly kind: "lasting"; readonly project: number; readonly match: ErasureMatch }
  /** Removes what deletion leaves in the files. */
  | { readonly kind: "finish"; readonly parts: readonly string[] };

export interface ErasedRows {
  readonly project: number;
  readonly part: string;
  readonly kind: ErasableKind;
  readonly ids: readonly number[];
  readonly match: ErasureMatch;
}

export interface ErasureCounts {
  readonly events: number;
  readonly attachments: number;
  /** Requests, page loads and tasks with their spans. */
  readonly traces: number;
  readonly logLines: number;
  readonly feedback: number;
  readonly issues: number;
}

export interface ErasureOutcome {
  readonly counts: ErasureCounts;
  /** The same step is due again: it was larger than one turn, or a reader was in the way. */
  readonly isUnfinished: boolean;
}

export const nothingErased: ErasureCounts = {
  events: 0,
  attachments: 0,
  traces: 0,
  logLines: 0,
  feedback: 0,
  issues: 0,
};

export function addErased(left: ErasureCounts, right: ErasureCounts): ErasureCounts {
  return {
    events: left.events + right.events,
    attachments: left.attachments + right.attachments,
    traces: left.traces + right.traces,
    logLines: left.logLines + right.logLines,
    feedback: left.feedback + right.feedback,
    issues: left.issues + right.issues,
  };
}

/**
 * What was erased, as a hash. `group` is a fingerprint. `number` keeps the number of a deleted issue from being used
 * again, and drops nothing.
 */
export interface ErasureMark {
  readonly project: number;
  readonly kind: "event" | "visitor" | "mention" | "group" | "project" | "number";
  readonly hash: number;
  /** When it was erased. What happened later is kept. */
  readonly at: number;
}
