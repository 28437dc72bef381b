import type { DeletionReason, PartitionRecord } from "../stores/records.ts";
import { type RetentionLimits, shares } from "./limits.ts";

export type RetentionStep =
  | { kind: "drop"; name: string; why: DeletionReason }
  /** A week that is much larger than the excess loses its oldest half, or as much as needed. */
  | { kind: "cut"; name: string; toBytes: number; why: DeletionReason };

export interface RetentionCircumstances {
  readonly now: number;
  readonly freeBytes: number;
  /** Disk use beside the weeks, which counts as well. */
  readonly otherBytes: number;
}

/** Chooses the weeks to delete: those too old, then the oldest until the rest fits. The current file always stays. */
export function planRetention(
  partitions: readonly PartitionRecord[],
  { now, freeBytes, otherBytes }: RetentionCircumstances,
  limits: RetentionLimits,
): readonly RetentionStep[] {
  const oldestFirst = partitions.filter(({ to }) => to <= now).toSorted((a, b) => a.from - b.from);
  let bytes = partitions.reduce((sum, partition) => sum + partition.bytes, otherBytes);
  let free = freeBytes;
  const steps: RetentionStep[] = [];
  for (const { name, to, bytes: own } of oldestFirst) {
    const over = bytes - limits.keepBytes * shares.goal;
    const why: DeletionReason | undefined =
      to < now - limits.keepDays * 86_400_000
        ? "age"
        : over > 0
          ? "bytes"
          : free < limits.lowBytes
            ? "low-disk"
            : undefined;
    if (why === undefined) break;
    const isMuchLarger = own - over > 2 * limits.keepBytes * shares.oneFile;
    if (why === "bytes" && isMuchLarger) {
      steps.push({ kind: "cut", name, toBytes: Math.min(own / 2, own - over), why });
      break;
    }
    steps.push({ kind: "drop", name, why });
    bytes -= own;
    free += own;
  }
  return steps;
}

/** Whether the current file is large enough to be closed. */
export function wantsSplit(partitions: readonly PartitionRecord[], now: number, limits: RetentionLimits): boolean {
  const current = partitions.find(({ from, to }) => from < now && now < to);
  return current !== undefined && current.bytes > limits.keepBytes * shares.oneFile;
}
