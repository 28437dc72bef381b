import type { RetentionLimits } from "../retention/limits.ts";
import type { StoreLimits } from "../stores/limits.ts";
import type { IssueChange } from "../stores/store.ts";

/** Messages to the filing thread. */
export type ToFiling =
  /** Everything before this position of the journal can be read. */
  | { kind: "durable"; end: number }
  | { kind: "ask"; id: number; question: FilingQuestion }
  /** File what is there, write everything down, and end. */
  | { kind: "close" };

/** What only the one writer of the store may do. */
export type FilingQuestion =
  | { kind: "change"; project: number; issues: readonly number[]; change: IssueChange; by: string; at: number }
  /** The source maps of a build folder, for the events of one project, and what is in the release that was built. */
  | { kind: "add-build"; project: number; buildFolder: string; release: string | undefined };

/** What it tells. */
export type FromFiling =
  /** The store is open; filing begins at this position. */
  | { kind: "ready"; applied: number }
  | { kind: "filed"; progress: FilingProgress }
  | { kind: "answer"; id: number; answer: FilingAnswer }
  /** Something went wrong that filing survived. */
  | { kind: "fault"; message: string; stack: string | undefined; putAside: boolean }
  /** Owners have decided how much may be on the disk. */
  | { kind: "keeps"; bytes: number }
  | { kind: "closed"; releasable: number };

export type FilingAnswer = { kind: "done"; changed: readonly number[] } | { kind: "failed"; why: string };

export interface FilingProgress {
  /** Everything before it is in the store. */
  readonly applied: number;
  /** Everything before it survives a loss of power without the journal. */
  readonly releasable: number;
  readonly records: number;
  readonly events: number;
  readonly duplicates: number;
  /** Events without an issue of their own, because too many were new. */
  readonly collected: number;
  readonly damagedBytes: number;
}

export interface FilingWorkerData {
  readonly dataFolder: string;
  readonly retention?: Partial<RetentionLimits>;
  readonly store?: Partial<StoreLimits>;
  readonly task?: ThreadTask | undefined;
}

/**
 * Someone who needs a thread beside the main one, seldom and for little: a second thread would cost more than all it
 * does.
 */
export interface ThreadTask {
  /** The address of a module that exports `begin(data)`. */
  readonly module: string;
  /** Sent again when the thread is restarted, so it must not be transferable. */
  readonly data: unknown;
}
