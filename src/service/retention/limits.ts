import { journalLimits } from "../journal/limits.ts";

/** How long and how much is stored. */
export interface RetentionLimits {
  /** Events, spans and logs. Whole weeks are deleted, so up to six days more are kept. */
  keepDays: number;
  /** Disk use of the whole service. The oldest events are deleted first. Half of a small server's disk. */
  keepBytes: number;
  /** Hourly counters; daily ones are kept permanently. Two weeks for comparison, plus the current day. */
  keepHoursForDays: number;
  /** Errors and visits by quarters of an hour. 90 days can be shown, each beside the four weeks before it. */
  keepQuartersForDays: number;
  /** Visitors with an error by hours, one kilobyte each. Four weeks that a day is compared with, and the day. */
  keepAffectedForDays: number;
  /** With less free disk space, the oldest weeks are deleted early, as the last step before nothing can be stored. */
  lowBytes: number;
  /** Size of a reserve file, which is deleted when the disk is full, so that the cleanup has room to work in. */
  ballastBytes: number;
}

export const retentionLimits: RetentionLimits = {
  keepDays: 90,
  keepBytes: 20 * 1024 ** 3,
  keepHoursForDays: 15,
  keepQuartersForDays: 120,
  keepAffectedForDays: 30,
  lowBytes: 128 * 1024 ** 2,
  ballastBytes: 16 * 1024 ** 2,
};

/**
 * Minimum of `keepBytes`. Two write-ahead logs of 8 MiB, a journal, a reserve, accounts and empty files take about 20
 * MiB. With less, no room would be left for events.
 */
export const leastKeepBytes: number = 32 * 1024 ** 2;

/** Fractions of `keepBytes`. */
export interface RetentionShares {
  /** Deletion goes below the limit, because filing continues until the next check. */
  readonly goal: number;
  /** The limit is checked each time this much was filed. */
  readonly betweenChecks: number;
  /** The current file is closed at this size, so that it can be deleted without everything else. */
  readonly oneFile: number;
  /** Issues, counters and source maps, so that events have the other half. */
  readonly lasting: number;
  /** Target of a cleanup of long-lived data, so that not every new issue deletes an old one. */
  readonly lastingGoal: number;
  /** Source maps of one build: two builds fit side by side. */
  readonly oneBuild: number;
  /** Limit of unfiled data. Reserved, because the journal can fill within seconds. */
  readonly journal: number;
  /** Attached files of one project in a day: a flood of them needs months to displace events. */
  readonly attachedInDay: number;
  /** Data that can never be filed. */
  readonly unfiled: number;
  /** With a small limit, a larger reserve would displace events. */
  readonly ballast: number;
}

export const shares: RetentionShares = {
  goal: 0.85,
  betweenChecks: 1 / 64,
  oneFile: 1 / 8,
  lasting: 0.5,
  lastingGoal: 0.9,
  oneBuild: 0.2,
  journal: 1 / 8,
  attachedInDay: 1 / 100,
  unfiled: 1 / 16,
  ballast: 1 / 20,
};

export function journalBytes(keepBytes: number): number {
  return Math.min(journalLimits.backlogBytes, keepBytes * shares.journal);
}
