import type { FileHandle } from "node:fs/promises";
import type { MaybePromise } from "../maybe-promise.ts";

/**
 * `failed`: its action threw, so it may run again. `unsure`: it may have been done, because its process died or its
 * result could not be sent. The last three have no content any more.
 */
export type KeptState = "running" | "failed" | "unsure" | "done" | "forgotten" | "expired";

/** What is known of a kept submission without the key. */
export interface KeptRow {
  /** 32 hexadecimal digits. */
  id: string;
  state: KeptState;
  /** In milliseconds since 1970. */
  keptAt: number;
  changedAt: number;
  /** Of its first failure: the code that its visitor knows. */
  digest: string | undefined;
  /** Of its last failure. */
  lastDigest: string | undefined;
  /** Who ran or forgot it last; undefined for its first run. */
  by: string | undefined;
  /** How often an operator has run it. */
  runs: number;
  /** What was sent to; undefined for one that has just begun. */
  of: KeptOf | undefined;
  bytes: number;
}

/** The route and the action of a submission: of the application, and nothing that was sent. */
export interface KeptOf {
  route: string;
  action: string;
}

export interface KeptChange {
  id: string;
  /** The states that it may change from. One without a row counts as `running`. */
  from: readonly KeptState[];
  to: KeptState;
  digest?: string | undefined;
  of?: KeptOf | undefined;
  by?: string | undefined;
  /** Only if it has not changed since it was read: its `changedAt` then. */
  since?: number | undefined;
  /** The visitor has to be notified of its end: what `onRecovered` gets, sealed. */
  note?: Uint8Array | undefined;
}

/** A note whose `onRecovered` has not succeeded yet. */
export interface KeptNote {
  id: string;
  note: Uint8Array;
  tries: number;
}

/** A sealed submission: first its files, then the rest. */
export interface SealedCopy {
  /** A file on the same disk, which the store takes over and its owner still removes. */
  files: { path: string; size: number } | undefined;
  rest: Buffer;
}

/**
 * Storage of kept submissions, shared by the processes of a machine. `add` and `change` are on disk when they resolve.
 * Each may throw: the disk is full or the folder is not writable.
 */
export interface KeptStore {
  /** `known`: it is kept already, or was. `full`: one of the limits is reached. */
  add(id: string, copy: SealedCopy): Promise<"added" | "known" | "full">;
  /** To be closed. What is removed meanwhile can be read until then. */
  open(id: string): Promise<FileHandle | undefined>;
  /** Removes the content. */
  drop(id: string): Promise<void>;
  /** Says that this process still runs it. */
  renew(id: string): Promise<void>;
  /** One that has just begun, or has just succeeded, has none. */
  hasRow(id: string): MaybePromise<boolean>;
  find(id: string): MaybePromise<KeptRow | undefined>;
  list(): MaybePromise<readonly KeptRow[]>;
  /** Returns whether it was in one of the states. Atomic, even between processes. */
  change(change: KeptChange): MaybePromise<boolean>;
  /** Notes that are due. */
  notes(): MaybePromise<readonly KeptNote[]>;
  /** `again`: when to try again, in milliseconds since 1970; undefined when it has succeeded. */
  notified(id: string, again: number | undefined): MaybePromise<void>;
  close(): void;
}
