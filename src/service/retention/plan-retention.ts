import type { PartitionRecord } from "../stores/store.ts";
import type { RetentionLimits } from "./limits.ts";

export interface Dropped {
  name: string;
  why: "age" | "bytes" | "low-disk";
}

/**
 * Which weeks go: the too old, then the oldest until the rest fits. The week that is being written stays in any case.
 */
export function planRetention(
  partitions: readonly PartitionRecord[],
  circumstances: { now: number; freeBytes: number },
  limits: RetentionLimits,
): readonly Dropped[] {
  const { now } = circumstances;
  const oldestFirst = partitions.filter(({ to }) => to <= now).toSorted((a, b) => a.from - b.from);
  let bytes = partitions.reduce((sum, partition) => sum + partition.bytes, 0);
  let free = circumstances.freeBytes;
  const dropped: Dropped[] = [];
  for (const { name, to, bytes: own } of oldestFirst) {
    const why =
      to < now - limits.keepDays * 86_400_000
        ? "age"
        : bytes > limits.keepBytes
          ? "bytes"
          : free < limits.lowBytes
            ? "low-disk"
            : undefined;
    if (why === undefined) break;
    dropped.push({ name, why });
    bytes -= own;
    free += own;
  }
  return dropped;
}
