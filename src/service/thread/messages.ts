import type { BalanceLimits } from "../balance/limits.ts";
import type { UploadedMap } from "../builds/add-build.ts";
import type { CheckInLimits } from "../check-ins/limits.ts";
import type { RetentionLimits } from "../retention/limits.ts";
import type { ErasureOutcome, ErasureStep } from "../stores/erase/erasure.ts";
import type { StoreLimits } from "../stores/limits.ts";
import type { ImportRequest } from "../stores/portable/add-imported.ts";
import type { Commit } from "../stores/records.ts";
import type { StoreAddress } from "../stores/store-address.ts";
import type { StoreHealth } from "../stores/store-health.ts";
import type { FeedbackChange, IssueChange, MonitorChange } from "../stores/store-requests.ts";

/** Messages to the filing thread. */
export type ToFiling =
  /** Everything before this position of the journal can be read. */
  | { kind: "readable"; end: number }
  | { kind: "request"; id: number; request: FilingRequest }
  /** The report of this id survives, or was refused for this reason. */
  | { kind: "reported"; id: number; refused: string | undefined }
  /** File what is available, make it durable, and end. */
  | { kind: "close" };

/** Requests that only the single writer of the store may execute. */
export type FilingRequest =
  | { kind: "change"; project: number; issues: readonly number[]; change: IssueChange; by: string; at: number }
  | { kind: "import"; request: ImportRequest }
  | { kind: "change-monitor"; change: MonitorChange }
  | { kind: "change-feedback"; change: FeedbackChange }
  /** Stores the source maps of a build folder for the events of one project, and the commits of its release. */
  | { kind: "add-build"; project: number; buildFolder: string; release: string | undefined }
  /** Marks uploaded maps as part of a build. The response has the places in the list of those that are missing. */
  | { kind: "renew-maps"; project: number; release: string | undefined; debugIds: readonly string[] }
  | { kind: "add-maps"; project: number; release: string | undefined; maps: readonly UploadedMap[] }
  /** One piece of an erasure. */
  | { kind: "erase"; step: ErasureStep }
  | { kind: "add-commits"; project: number; release: string; commits: readonly Commit[] };

/** Messages from the filing thread. */
export type FromFiling =
  /** The store is open, and filing begins at this position. */
  | { kind: "ready"; applied: number }
  | { kind: "filed"; progress: FilingProgress }
  | { kind: "response"; id: number; response: FilingResponse }
  /** An envelope of the service about check-ins or its books, to be accepted like any other. */
  | { kind: "report"; id: number; project: number; envelope: Uint8Array }
  /** An error that filing survived. */
  | { kind: "fault"; message: string; stack: string | undefined; isQuarantined: boolean }
  /** The store cannot be written. */
  | { kind: "store-away"; why: string }
  /** It can be written again. */
  | { kind: "store-back" }
  /** The store has met problems since the last message, or has recovered. */
  | { kind: "store-health"; health: StoreHealth }
  /** Owners have changed the limit of disk use. */
  | { kind: "disk-limit"; bytes: number }
  | { kind: "closed"; releasable: number };

/** The numbers are those of changed issues, or of missing maps, or the number of steps without a group. */
export type FilingResponse =
  | { kind: "done"; numbers: readonly number[] }
  | { kind: "erased"; outcome: ErasureOutcome }
  | { kind: "failed"; why: string };

export interface FilingProgress {
  /** Everything before it is in the store. */
  readonly applied: number;
  /** Everything before it survives a power loss without the journal. */
  readonly releasable: number;
  readonly records: number;
  readonly events: number;
  readonly duplicates: number;
  /** Events without their own issue, because too many issues were new. */
  readonly collected: number;
  readonly damagedBytes: number;
}

export interface FilingWorkerData {
  readonly dataFolder: string;
  readonly at: StoreAddress;
  readonly retention?: Partial<RetentionLimits>;
  readonly store?: Partial<StoreLimits>;
  readonly checkIns?: Partial<CheckInLimits> | undefined;
  readonly balance?: Partial<BalanceLimits> | undefined;
  readonly task?: ThreadTask | undefined;
}

/**
 * A module that needs a thread beside the main one, rarely and for little work. A second thread would cost more than
 * this work.
 */
export interface ThreadTask {
  /** URL of a module that exports `begin(data)`. */
  readonly module: string;
  /** Sent again when the thread is restarted, so it must not be transferable. */
  readonly data: unknown;
}
