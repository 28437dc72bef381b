import { statfsSync } from "node:fs";
import type { Clock } from "../clock.ts";
import { dayMs } from "../clock.ts";
import type { Store } from "../stores/store.ts";
import { diskUseOf } from "./disk-use.ts";
import { journalBytes, type RetentionLimits, retentionLimits, shares } from "./limits.ts";
import { planRetention, type RetentionStep, wantsSplit } from "./plan-retention.ts";
import { ReserveFile } from "./reserve-file.ts";

export interface UpkeepOptions {
  store: Pick<
    Store,
    | "partitions"
    | "lastingBytes"
    | "dropPartition"
    | "splitPartition"
    | "cutPartition"
    | "emptyLogs"
    | "shrinkLasting"
    | "dropHoursBefore"
    | "dropTrafficBefore"
    | "dropSourceMapsBefore"
    | "wake"
  >;
  folder: string;
  /** The store is a database that other processes use too, on a disk that this process does not see. */
  isShared?: boolean | undefined;
  clock: Clock;
  limits?: Partial<RetentionLimits>;
  /** Free bytes on the folder's disk. */
  freeBytes?: () => number;
}

export interface UpkeepReport {
  steps: readonly RetentionStep[];
  disk: "enough" | "low" | "full";
  freeBytes: number;
}

export interface Upkeep {
  /** Maintenance of every minute: ends mutes, and deletes what is too old or exceeds a limit. */
  run(): Promise<UpkeepReport>;
  /** Only enforces the limit of disk use, after much was filed. */
  keepWithin(): Promise<readonly RetentionStep[]>;
}

/** Runs in the filing thread. */
export function createUpkeep(options: UpkeepOptions): Upkeep {
  const { store, folder, clock } = options;
  const limits = { ...retentionLimits, ...options.limits };
  const freeBytes = options.freeBytes ?? (() => freeBytesOf(folder));
  const ballastBytes = Math.min(limits.ballastBytes, Math.floor(limits.keepBytes * shares.ballast));
  const ballast = new ReserveFile(folder, ballastBytes);

  async function planned(now: number): Promise<readonly RetentionStep[]> {
    const partitions = await store.partitions();
    if (options.isShared) {
      const otherBytes = await store.lastingBytes();
      return planRetention(partitions, { now, freeBytes: Number.POSITIVE_INFINITY, otherBytes }, limits);
    }
    const { store: inStore, logs, journal, other } = diskUseOf(folder);
    // Reserved for the journal, which can fill at any time. A segment is deleted some time after all of it is filed.
    const segments = 2 * limits.keepBytes * shares.betweenChecks;
    const waiting = Math.max(journal, journalBytes(limits.keepBytes) + segments);
    const held = waiting + logs + (ballast.isThere ? 0 : ballastBytes);
    const otherBytes = inStore + held + other - partitions.reduce((sum, { bytes }) => sum + bytes, 0);
    return planRetention(partitions, { now, freeBytes: freeBytes(), otherBytes }, limits);
  }

  async function keepWithin(): Promise<readonly RetentionStep[]> {
    const now = clock.now();
    if (wantsSplit(await store.partitions(), now, limits)) await store.splitPartition(now);
    if ((await planned(now)).length > 0) await store.emptyLogs();
    const steps = await planned(now);
    for (const step of steps) {
      if (step.kind === "drop") await store.dropPartition(step.name, step.why);
      else await store.cutPartition(step.name, step.toBytes, step.why);
    }
    // After the weeks: an issue can be deleted when its last event is.
    const lasting = limits.keepBytes * shares.lasting;
    if ((await store.lastingBytes()) > lasting) await store.shrinkLasting(lasting * shares.lastingGoal);
    return steps;
  }

  return {
    keepWithin,
    async run() {
      const now = clock.now();
      // First of all, because everything below needs room to write.
      if (freeBytes() < ballastBytes) ballast.giveUp();
      const steps = await keepWithin();
      const free = freeBytes();
      const disk = free < ballastBytes ? "full" : free < limits.lowBytes ? "low" : "enough";
      if (disk !== "full") {
        await store.wake(now);
        await store.dropHoursBefore(now - limits.keepHoursForDays * dayMs);
        await store.dropTrafficBefore({
          quarters: now - limits.keepQuartersForDays * dayMs,
          visitors: now - limits.keepAffectedForDays * dayMs,
        });
        await store.dropSourceMapsBefore(now - limits.keepDays * dayMs);
      }
      if (disk === "enough" && !ballast.isThere) ballast.layDown();
      return { steps, disk, freeBytes: free };
    },
  };
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
