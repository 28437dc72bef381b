import type { EventLevel, ReportedEvent } from "#protocol";
import type { Reason } from "../../grouping/v1.ts";
import type { IssueState } from "../../issues/issue-state.ts";
import type { FeedbackFacts } from "../filed.ts";

/**
 * Lines of an exported project. Issues come first, then events with their files, feedback, figures, and last the state
 * of each issue. A group is named by its fingerprint, so that nothing in a line depends on the store that it is from.
 */
export type PortableLine = IssueLine | EventLine | AttachmentLine | FeedbackLine | FiguresLine | TriageLine;

/** The version of the format. A reader refuses others. */
export const portableFormat = 1;

/** An issue as it began: with one group. Merged issues are lines of their own. */
export interface IssueLine {
  readonly kind: "issue";
  /** Its visible number. The importing project uses it if it is free. */
  readonly number?: number | undefined;
  /** Fingerprints of its group, newest version first. */
  readonly fingerprints: readonly string[];
  readonly version: number;
  readonly rule: Reason["rule"];
  readonly parts: readonly string[];
  readonly type?: string | undefined;
  readonly title: string;
  readonly culprit?: string | undefined;
  readonly level: EventLevel;
  readonly platform?: string | undefined;
  readonly route?: string | undefined;
  readonly firstSeen: number;
  readonly firstRelease?: string | undefined;
  readonly lastEventId: string;
}

export interface EventLine {
  readonly kind: "event";
  readonly id: string;
  readonly otherId?: string | undefined;
  readonly at: number;
  readonly receivedAt: number;
  /** Fingerprint of its group. Without one, the event is grouped like a new one. */
  readonly group?: string | undefined;
  readonly level: EventLevel;
  readonly route?: string | undefined;
  readonly release?: string | undefined;
  readonly environment?: string | undefined;
  readonly traceId?: string | undefined;
  /** Hash of the visitor, or of the visit. */
  readonly visitor?: number | undefined;
  /** Absent if only its row was stored, because very many of its kind arrived in that minute. */
  readonly event?: ReportedEvent | undefined;
}

export interface AttachmentLine {
  readonly kind: "attachment";
  readonly eventId: string;
  readonly receivedAt: number;
  readonly filename: string;
  readonly contentType?: string | undefined;
  readonly base64: string;
}

export interface FeedbackLine {
  readonly kind: "feedback";
  readonly at: number;
  readonly eventId?: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly url?: string | undefined;
  readonly message: string;
  readonly ownId?: string | undefined;
  readonly facts: FeedbackFacts;
  readonly archivedAt?: number | undefined;
}

/** Rows of a table of figures, which outlive the events that they count. Bytes are base64. */
export interface FiguresLine {
  readonly kind: "figures";
  readonly of: string;
  /** Fingerprint, for figures of a group. */
  readonly group?: string | undefined;
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}

/** What people have done with an issue. */
export interface TriageLine {
  readonly kind: "triage";
  /** A fingerprint of the group that the issue began with. */
  readonly group: string;
  readonly state: IssueState;
  readonly assignee?: string | undefined;
  readonly ticket?: string | undefined;
  /** Of the issue that it was merged into. */
  readonly mergedInto?: string | undefined;
  readonly history: readonly PortableEntry[];
}

/** An entry of the history. Other issues are named by a fingerprint of the group that they began with. */
export interface PortableEntry {
  readonly at: number;
  readonly by: string;
  readonly what: Readonly<Record<string, unknown>>;
}
