import { hkdfSync } from "node:crypto";
import type { SubmissionMemoryReach } from "../../page-data.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { seal, unseal } from "../visitor/sealed.ts";

/** One submission as a store keeps it. */
export interface SubmissionRow {
  attempt: number;
  state: RowState;
  /** Until when a running one counts as running, in milliseconds since 1970. */
  leaseUntil: number;
  /** Hash of what was posted; null in a row that was made by a question, before anything had arrived. */
  body: Uint8Array | null;
  /** Whose it is, as `visitor.ts` writes it. */
  visitor: string;
  sealed: Uint8Array | null;
}

/**
 * `done` includes a redirect: it is not run again. `void`: its sender has read that it had not arrived, so it must not.
 */
export type RowState = "running" | "void" | EndState;

export type EndState = "done" | "invalid" | "failed";

/**
 * What claims and cancels, in one statement: a new row, or one whose attempt is over and may be followed by this higher
 * one.
 */
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
  /** Whose it is now as well, where the action has changed that. */
  visitor: string | undefined;
}

/**
 * Where submissions are remembered. Each method is atomic, also between processes; each may throw, which counts as
 * having no memory. The store names its own process as the owner of what it claims.
 */
export interface SubmissionStore {
  find(key: Uint8Array): MaybePromise<SubmissionRow | undefined>;
  /** Whether the row was written. False where the attempt there is running, has succeeded, or is not lower. */
  take(row: NewRow, now: number): MaybePromise<boolean>;
  /** Whether it was still this process's to end. */
  end(row: EndedRow): MaybePromise<boolean>;
  renew(key: Uint8Array, attempt: number, leaseUntil: number): MaybePromise<void>;
  /** Whether rows have been forgotten for want of room that would still be kept otherwise. */
  hasForgotten(now: number): MaybePromise<boolean>;
}

export interface SubmissionMemoryLimits {
  /** How long a claim holds without being renewed: what a process that died leaves behind is uncertain after this. */
  leaseMs: number;
  /** Far below the lease, so that a busy process keeps what it runs. */
  renewMs: number;
  /** Of an outcome with its cookies. */
  outcomeBytes: number;
}

/** Specified by the design of submissions; a lease of half a minute is as long as a visitor waits for a page. */
export const submissionMemoryLimits: SubmissionMemoryLimits = {
  leaseMs: 30_000,
  renewMs: 5_000,
  outcomeBytes: 8_192,
};

/** Which submission, and what of it has to be the same for it to be the same. */
export interface Claim {
  key: Uint8Array;
  attempt: number;
  body: Uint8Array;
  /** How whoever sent it is known again, to be kept. */
  visitor: string;
  /** Whether what was kept is this visitor. */
  isSameVisitor: (visitor: string) => boolean;
}

export type Claimed =
  /** Nobody else runs it: it may be run here. */
  | { kind: "new" }
  | { kind: "running" }
  /** `outcome` is what was given to `end`; undefined where it was too large or cannot be read. */
  | { kind: "ended"; outcome: string | undefined }
  | { kind: "void" }
  /** It was begun, and its process has died. */
  | { kind: "cannot-say" }
  | { kind: "other-visitor" }
  | { kind: "other-body" }
  | { kind: "unavailable" };

export type Asked = Exclude<Claimed, { kind: "new" | "void" | "other-body" | "unavailable" }> | { kind: "not-seen" };

/**
 * Remembers submissions, so that one that arrives again is answered with what it came to instead of being run again.
 * What is remembered is the outcome, not the page: that is loaded again. At most one process runs one attempt, and only
 * a higher attempt runs again what has failed or is uncertain.
 */
export class SubmissionMemory {
  /** How far it reaches: all processes that could be asked, or those of this machine. */
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

  /** Takes a submission for this process, or says why it is not to be run. */
  async claim(claim: Claim): Promise<Claimed> {
    const { key, attempt, body, visitor } = claim;
    try {
      if (!this.#store) return { kind: "unavailable" };
      // A second look is needed where another process was quicker; a third never, short of a fault in the store.
      for (let look = 0; look < 3; look++) {
        const found = await this.#look(claim);
        if (found) return found;
        const leaseUntil = this.#now() + this.#limits.leaseMs;
        if (await this.#store.take({ key, attempt, state: "running", leaseUntil, body, visitor }, this.#now()))
          return { kind: "new" };
      }
    } catch {
      // A full disk, a damaged file: forms work without a memory too.
    }
    return { kind: "unavailable" };
  }

  /**
   * What is known of a submission, for one who does not send it. With `cancel` an attempt that has not arrived is void
   * from now on: without that, `not-seen` would be worth nothing, since a request that is only slow could still be run
   * after it.
   */
  async ask(
    asked: Pick<Claim, "key" | "attempt" | "isSameVisitor"> & { visitor: string; cancel: boolean },
  ): Promise<Asked> {
    const { key, attempt, visitor, cancel } = asked;
    try {
      if (!this.#store) return { kind: "cannot-say" };
      for (let look = 0; look < 3; look++) {
        const found = await this.#look({ ...asked, body: undefined });
        // Without a body there is none that could be another.
        if (found && found.kind !== "void" && found.kind !== "other-body") return found;
        const row = { key, attempt, state: "void", leaseUntil: 0, body: null, visitor } as const;
        if (found || !cancel || (await this.#store.take(row, this.#now()))) return await this.#unseen();
      }
    } catch {
      // As above.
    }
    return { kind: "cannot-say" };
  }

  /**
   * Writes down what an attempt came to. False where that is not remembered: another process has taken over, or it
   * cannot be written.
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

  /** Keeps a claim while its action runs, at most for so long. Returns how to stop. */
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

  /** Undefined where this attempt may be taken. */
  async #look({
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
    // Over, but not done: only a person raises the attempt, and a person may send it again.
    if (attempt > row.attempt) return undefined;
    // What is asked of an attempt before the last one may have been anything.
    if (row.state === "running" || (row.state === "void" && attempt < row.attempt)) return { kind: "cannot-say" };
    return row.state === "void" ? { kind: "void" } : this.#ended(key, row);
  }

  #ended(key: Uint8Array, { attempt, sealed }: SubmissionRow): { kind: "ended"; outcome: string | undefined } {
    return { kind: "ended", outcome: sealed ? unseal(sealed, this.#key, meantFor(key, attempt)) : undefined };
  }

  /** Nothing has arrived, as far as this memory reaches. */
  async #unseen(): Promise<Asked> {
    const isCertain = this.reach === "shared" && !(await this.#store?.hasForgotten(this.#now()));
    return { kind: isCertain ? "not-seen" : "cannot-say" };
  }
}

export interface SubmissionMemoryOptions {
  /** Undefined where nothing is to be remembered. */
  store: SubmissionStore | undefined;
  reach: "shared" | "local";
  sealKey: Uint8Array;
  limits?: SubmissionMemoryLimits;
  now?: () => number;
}

/** An outcome is worth nothing in another row. */
function meantFor(key: Uint8Array, attempt: number): Buffer {
  return Buffer.concat([key, Buffer.from(` ${attempt}`)]);
}
