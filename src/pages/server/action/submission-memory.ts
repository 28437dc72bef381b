import { hkdfSync } from "node:crypto";
import type { SubmissionMemoryReach } from "../../page-data.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { seal, unseal } from "../visitor/sealed.ts";

/** One submission as a store keeps it. */
export interface SubmissionRow {
  attempt: number;
  state: RowState;
  /** A running submission counts as running until then, in milliseconds since 1970. */
  leaseUntil: number;
  /** Hash of the posted body; null in a row that a question created before anything had arrived. */
  body: Uint8Array | null;
  /** Stamp of its visitor, in the format of `visitor.ts`. */
  visitor: string;
  sealed: Uint8Array | null;
}

/**
 * `done` includes a redirect: it is not run again. `void`: its sender was informed that it had not arrived, so it must
 * not run.
 */
export type RowState = "running" | "void" | EndState;

export type EndState = "done" | "invalid" | "failed";

/** Claims or cancels a submission in one statement: writes a new row, or replaces one whose lower attempt is over. */
export interface NewRow {
  key: Uint8Array;
  attempt: number;
  state: "running" | "void";
  leaseUntil: number;
  body: Uint8Array | null;
  visitor: string;
}

export interface EndedRow {
  key: Uint8Array;
  attempt: number;
  state: EndState;
  sealed: Uint8Array | null;
  /** The visitor's new stamp, if the action has changed it. */
  visitor: string | undefined;
}

/**
 * Storage of submissions. Each method is atomic, even between processes. Each may throw, which counts as having no
 * memory. The store records its own process as the owner of what it claims.
 */
export interface SubmissionStore {
  find(key: Uint8Array): MaybePromise<SubmissionRow | undefined>;
  /** Returns whether the row was written. False if the existing attempt is running, has succeeded, or is not lower. */
  take(row: NewRow, now: number): MaybePromise<boolean>;
  /** Returns whether this process still owned the row. */
  end(row: EndedRow): MaybePromise<boolean>;
  /** Gives one that is over and was not done the state `done`. Returns whether it was so. */
  recover(row: Pick<EndedRow, "key" | "attempt" | "sealed">, now: number): MaybePromise<boolean>;
  renew(key: Uint8Array, attempt: number, leaseUntil: number): MaybePromise<void>;
  /** Resolves when everything that was written before is on disk, also after a loss of power. */
  sync(): MaybePromise<void>;
  /** Whether rows were dropped early for lack of space. */
  hasForgotten(now: number): MaybePromise<boolean>;
}

export interface SubmissionMemoryLimits {
  /** How long a claim lasts without renewal. After that, a submission whose process died is uncertain. */
  leaseMs: number;
  /** Far below the lease, so that a busy process keeps its claims. */
  renewMs: number;
  /** Size of an outcome with its cookies. */
  outcomeBytes: number;
}

/** Specified by the design of submissions; a lease of half a minute is as long as a visitor waits for a page. */
export const submissionMemoryLimits: SubmissionMemoryLimits = {
  leaseMs: 30_000,
  renewMs: 5_000,
  outcomeBytes: 8_192,
};

/** Identifies a submission, and the fields that must match for it to be the same. */
export interface Claim {
  key: Uint8Array;
  attempt: number;
  body: Uint8Array;
  /** Stamp of the sender, to be stored. */
  visitor: string;
  /** Whether a stored stamp belongs to this visitor. */
  isSameVisitor: (visitor: string) => boolean;
}

export type Claimed =
  /** No other process runs it: it may run here. */
  | { kind: "new" }
  | { kind: "running" }
  /** `outcome` is the text passed to `end`; undefined if it was too large or is unreadable. */
  | { kind: "ended"; outcome: string | undefined }
  | { kind: "void" }
  /** It was started, and its process has died; `body` is the hash of what it got. */
  | { kind: "cannot-say"; body?: Uint8Array | undefined }
  | { kind: "other-visitor" }
  | { kind: "other-body" }
  | { kind: "unavailable" };

export type SubmissionStatus =
  | Exclude<Claimed, { kind: "new" | "void" | "other-body" | "unavailable" }>
  | { kind: "not-seen" };

/**
 * Remembers submissions, so that a repetition gets the stored outcome instead of running again. The outcome is stored,
 * not the page, which is loaded again. At most one process runs an attempt, and only a higher attempt runs again what
 * has failed or is uncertain.
 */
export class SubmissionMemory {
  /** Which processes share this memory: all that could be asked, or those of this machine. */
  readonly reach: SubmissionMemoryReach;
  readonly #store: SubmissionStore | undefined;
  readonly #key: Uint8Array;
  readonly #limits: SubmissionMemoryLimits;
  readonly #now: () => number;

  constructor({ store, reach, sealKey, limits = submissionMemoryLimits, now = Date.now }: SubmissionMemoryOptions) {
    this.#store = store;
    this.reach = store ? reach : "none";
    this.#key = new Uint8Array(hkdfSync("sha256", sealKey, "", "submission outcome 1", 32));
    this.#limits = limits;
    this.#now = now;
  }

  /** Claims a submission for this process, or returns why it must not run. */
  async claim(claim: Claim): Promise<Claimed> {
    const { key, attempt, body, visitor } = claim;
    try {
      if (!this.#store) return { kind: "unavailable" };
      // A second look is needed if another process was quicker; a third only if the store is faulty.
      for (let tries = 0; tries < 3; tries++) {
        const found = await this.#lookUp(claim);
        if (found) return found;
        const leaseUntil = this.#now() + this.#limits.leaseMs;
        if (await this.#store.take({ key, attempt, state: "running", leaseUntil, body, visitor }, this.#now()))
          return { kind: "new" };
      }
    } catch {
      // A full disk or a damaged file: forms work without a memory too.
    }
    return { kind: "unavailable" };
  }

  /**
   * Returns what is known of a submission, without running it. With `cancel`, an attempt that has not arrived becomes
   * void: otherwise `not-seen` would mean nothing, since a slow request could still run after it.
   */
  async statusOf(
    query: Pick<Claim, "key" | "attempt" | "isSameVisitor"> & { visitor: string; cancel: boolean },
  ): Promise<SubmissionStatus> {
    const { key, attempt, visitor, cancel } = query;
    try {
      if (!this.#store) return { kind: "cannot-say" };
      for (let tries = 0; tries < 3; tries++) {
        const found = await this.#lookUp({ ...query, body: undefined });
        // Without a body, `other-body` cannot occur.
        if (found && found.kind !== "void" && found.kind !== "other-body") return found;
        const row = { key, attempt, state: "void", leaseUntil: 0, body: null, visitor } as const;
        if (found || !cancel || (await this.#store.take(row, this.#now()))) return await this.#unseen();
      }
    } catch {
      // As in `claim`.
    }
    return { kind: "cannot-say" };
  }

  /**
   * Stores the outcome of an attempt. Returns false if it is not remembered: another process has taken over, or writing
   * failed.
   */
  async end({ outcome, ...row }: Omit<EndedRow, "sealed"> & { outcome: string }): Promise<boolean> {
    const isSmall = Buffer.byteLength(outcome) <= this.#limits.outcomeBytes;
    try {
      const sealed = isSmall ? seal(outcome, this.#key, meantFor(row.key, row.attempt)) : null;
      return (await this.#store?.end({ ...row, sealed })) ?? false;
    } catch {
      return false;
    }
  }

  /**
   * A submission that had failed was done later. Its sender gets this outcome from now on. Returns false if it is not
   * remembered: it is forgotten, too large, or cannot be written.
   */
  async recover(key: Uint8Array, outcome: string): Promise<boolean> {
    try {
      const row = await this.#store?.find(key);
      if (!this.#store || !row || Buffer.byteLength(outcome) > this.#limits.outcomeBytes) return false;
      const { attempt } = row;
      return await this.#store.recover(
        { key, attempt, sealed: seal(outcome, this.#key, meantFor(key, attempt)) },
        this.#now(),
      );
    } catch {
      return false;
    }
  }

  /** Whether it has ended with success, as far as this memory knows. */
  async hasDone(key: Uint8Array): Promise<boolean> {
    return (await this.#store?.find(key))?.state === "done";
  }

  /** Resolves when everything that it remembers survives a loss of power. Throws if that cannot be reached. */
  async sync(): Promise<void> {
    await this.#store?.sync();
  }

  /** Renews a claim while its action runs, for at most `ms`. Returns a function that stops it. */
  keep(key: Uint8Array, attempt: number, ms: number): () => void {
    const { renewMs, leaseMs } = this.#limits;
    const until = this.#now() + ms;
    const renew = async (): Promise<void> => {
      if (this.#now() >= until) stop();
      else await this.#store?.renew(key, attempt, this.#now() + leaseMs);
    };
    const timer = setInterval(() => void renew().catch(() => undefined), renewMs).unref();
    const stop = (): void => clearInterval(timer);
    return stop;
  }

  /** Returns undefined if this attempt may be claimed. */
  async #lookUp({
    key,
    attempt,
    body,
    isSameVisitor,
  }: Pick<Claim, "key" | "attempt" | "isSameVisitor"> & { body: Uint8Array | undefined }): Promise<
    Exclude<Claimed, { kind: "new" | "unavailable" }> | undefined
  > {
    const row = await this.#store?.find(key);
    if (!row) return undefined;
    if (!isSameVisitor(row.visitor)) return { kind: "other-visitor" };
    if (body && row.body && Buffer.compare(body, row.body) !== 0) return { kind: "other-body" };
    if (row.state === "running" && row.leaseUntil >= this.#now()) return { kind: "running" };
    if (row.state === "done") return this.#ended(key, row);
    // Over, but not done: a higher attempt comes from a person, who may send it again.
    if (attempt > row.attempt) return undefined;
    // The outcome of an attempt before the last one is unknown.
    if (row.state === "running") return { kind: "cannot-say", body: row.body ?? undefined };
    if (row.state === "void" && attempt < row.attempt) return { kind: "cannot-say" };
    return row.state === "void" ? { kind: "void" } : this.#ended(key, row);
  }

  #ended(key: Uint8Array, { attempt, sealed }: SubmissionRow): { kind: "ended"; outcome: string | undefined } {
    return { kind: "ended", outcome: sealed ? unseal(sealed, this.#key, meantFor(key, attempt)) : undefined };
  }

  /** Nothing has arrived, as far as this memory can know. */
  async #unseen(): Promise<SubmissionStatus> {
    const isCertain = this.reach === "shared" && !(await this.#store?.hasForgotten(this.#now()));
    return { kind: isCertain ? "not-seen" : "cannot-say" };
  }
}

export interface SubmissionMemoryOptions {
  /** Undefined if nothing is to be remembered. */
  store: SubmissionStore | undefined;
  reach: "shared" | "local";
  sealKey: Uint8Array;
  limits?: SubmissionMemoryLimits;
  now?: () => number;
}

/** Binds a sealed outcome to its row. */
function meantFor(key: Uint8Array, attempt: number): Buffer {
  return Buffer.concat([key, Buffer.from(` ${attempt}`)]);
}
