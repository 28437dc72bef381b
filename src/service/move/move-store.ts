import { setTimeout as wait } from "node:timers/promises";
import { serviceErrors } from "../errors.ts";
import { StoreCopy } from "./copy-store.ts";
import type { MoveEnds } from "./move-ends.ts";
import { openEvents, type Verification, type VerifiedStore, verifyMove } from "./verify-move.ts";

export interface MoveLimits {
  /** Rounds go on until one has copied less than this. */
  readonly smallRound: number;
  /** Rounds before a stop is asked for, however much a busy source adds. */
  readonly mostRounds: number;
  /** Pause between two attempts to find the source stopped. */
  readonly retryMs: number;
}

export const moveLimits: MoveLimits = { smallRound: 2_000, mostRounds: 10, retryMs: 500 };

export type MoveProgress =
  | { readonly kind: "begun" }
  | { readonly kind: "continued" }
  | { readonly kind: "rows"; readonly part: string; readonly rows: number }
  | { readonly kind: "round"; readonly rows: number; readonly lasting: number; readonly ms: number }
  /** Everything so far is copied; the rest comes when the source has stopped. */
  | { readonly kind: "waiting" }
  | { readonly kind: "stopped" }
  | { readonly kind: "verified"; readonly verification: Verification; readonly ms: number };

export type MoveOutcome = "moved" | "source-runs";

interface MoveOptions {
  readonly limits?: Partial<MoveLimits>;
  /** Whether to wait until the source stops, or to leave the rest for another time. */
  readonly waits: boolean;
  readonly onProgress?: (progress: MoveProgress) => void;
}

/**
 * Copies a store into another, round by round while the source takes reports, then the rest while it is stopped.
 * Compares both, and only then makes the target a store that a service opens. A killed move continues where it was.
 */
export async function moveStore(ends: MoveEnds, options: MoveOptions): Promise<MoveOutcome> {
  const { source, target } = ends;
  const limits = { ...moveLimits, ...options.limits };
  const { onProgress = () => undefined } = options;
  onProgress({ kind: await target.begin(await source.identity()) });
  const copy = new StoreCopy(source, target);
  const round = async (): Promise<number> => {
    const from = performance.now();
    const { rows, lasting } = await copy.round((added, part) => onProgress({ kind: "rows", part, rows: added }));
    onProgress({ kind: "round", rows, lasting, ms: performance.now() - from });
    return rows + lasting;
  };
  for (let n = 1; n <= limits.mostRounds; n += 1) if ((await round()) < limits.smallRound) break;
  const opened = await compare(ends, openEvents);
  const stopped = await stop(ends, options, limits.retryMs, round);
  if (stopped === undefined) return "source-runs";
  try {
    onProgress({ kind: "stopped" });
    const before = await ends.progress();
    await round();
    await verify(ends, { copy, round, opened, onProgress });
    await ends.copyShared();
    if ((await ends.progress()) !== before) throw serviceErrors.moveSourceRuns();
    await target.finish(await ends.end());
  } finally {
    stopped.release();
  }
  return "moved";
}

async function stop(
  ends: MoveEnds,
  { waits, onProgress }: MoveOptions,
  retryMs: number,
  round: () => Promise<number>,
): Promise<{ release(): void } | undefined> {
  let stopped = await ends.stop();
  if (stopped === undefined) onProgress?.({ kind: "waiting" });
  while (stopped === undefined && waits) {
    const before = await ends.progress();
    await wait(retryMs);
    stopped = await ends.stop();
    if (stopped === undefined && (await ends.progress()) !== before) await round();
  }
  return stopped;
}

interface VerifyDeps {
  readonly copy: StoreCopy;
  readonly round: () => Promise<number>;
  readonly opened: ReadonlySet<string>;
  readonly onProgress: (progress: MoveProgress) => void;
}

/** Retention deletes rows that are copied already; such a partition is copied again. */
async function verify(ends: MoveEnds, { copy, round, opened, onProgress }: VerifyDeps): Promise<void> {
  const from = performance.now();
  let verification = await compare(ends, (source, target) => verifyMove(source, target, opened));
  if (verification.parts.size > 0) {
    for (const part of verification.parts) await copy.removePart(part);
    await round();
    verification = await compare(ends, verifyMove);
  }
  onProgress({ kind: "verified", verification, ms: performance.now() - from });
  if (verification.findings.length > 0) throw serviceErrors.moveDiffers(verification.findings);
}

async function compare<Result>(
  { source, target, openReaders }: MoveEnds,
  work: (source: VerifiedStore, target: VerifiedStore) => Promise<Result>,
): Promise<Result> {
  const readers = await openReaders();
  try {
    return await work({ rows: source, answers: readers.source }, { rows: target, answers: readers.target });
  } finally {
    readers.source.close();
    readers.target.close();
  }
}
