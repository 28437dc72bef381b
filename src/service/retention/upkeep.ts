import { statfsSync } from "node:fs";
import type { Clock } from "../clock.ts";
import type { Store } from "../stores/store.ts";
import { Ballast } from "./ballast.ts";
import { type RetentionLimits, retentionLimits } from "./limits.ts";
import { type Dropped, planRetention } from "./plan-retention.ts";

export interface UpkeepOptions {
  store: Pick<Store, "partitions" | "dropPartition" | "dropHoursBefore" | "wake">;
  folder: string;
  clock: Clock;
  limits?: Partial<RetentionLimits>;
  /** Bytes that can still be written to the folder's disk. */
  freeBytes?: () => number;
}

export interface UpkeepReport {
  dropped: readonly Dropped[];
  disk: "enough" | "low" | "full";
  freeBytes: number;
}

/**
 * What has to be done every minute beside filing, in the thread that files: ends mutes, drops what is too old or too
 * much.
 */
export function createUpkeep(options: UpkeepOptions): () => UpkeepReport {
  const { store, folder, clock } = options;
  const limits = { ...retentionLimits, ...options.limits };
  const freeBytes = options.freeBytes ?? (() => freeBytesOf(folder));
  const ballast = new Ballast(folder, limits.ballastBytes);
  return () => {
    const now = clock.now();
    // First of all: everything below needs room to write.
    if (freeBytes() < limits.ballastBytes) ballast.giveUp();
    const dropped = planRetention(store.partitions(), { now, freeBytes: freeBytes() }, limits);
    for (const { name } of dropped) store.dropPartition(name);
    const free = freeBytes();
    const disk = free < limits.ballastBytes ? "full" : free < limits.lowBytes ? "low" : "enough";
    if (disk !== "full") {
      store.wake(now);
      store.dropHoursBefore(now - limits.keepHoursForDays * 86_400_000);
    }
    if (disk === "enough" && !ballast.isThere) ballast.layDown();
    return { dropped, disk, freeBytes: free };
  };
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
