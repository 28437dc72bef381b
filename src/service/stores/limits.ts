import { readCount } from "../read-count.ts";

export interface StoreLimits {
  /**
   * Whole events of one issue per minute. Beyond it, only every tenth body is stored; rows and counters stay exact.
   * 2,000 are enough to compare occurrences, and take 1 MB.
   */
  bodiesPerIssueAndMinute: number;
  /**
   * New issues of one project per hour. Further new errors share one issue until the hour is over: anyone with the
   * public key can invent any number, and no one reads so many. Each takes about 4 kB permanently.
   */
  newIssuesPerHour: number;
  /**
   * New routes, releases, environments, tags and tag values per hour, of all projects. Each is stored permanently.
   * Further ones are counted as others.
   */
  newNamesPerHour: number;
  /**
   * Scheduled tasks of one project. Check-ins of further ones are dropped and counted. Each is judged every ten
   * seconds, and anyone with the public key can invent names.
   */
  monitorsPerProject: number;
  /** Runs that are listed for a scheduled task. A month of daily ones, an hour of those of every minute: 6 kB. */
  runsPerMonitor: number;
  /** Notes of visitors per project. The oldest are deleted first. */
  feedbackPerProject: number;
}

export const storeLimits: StoreLimits = {
  bodiesPerIssueAndMinute: 2_000,
  newIssuesPerHour: 5_000,
  newNamesPerHour: 20_000,
  monitorsPerProject: 1_000,
  runsPerMonitor: 60,
  feedbackPerProject: 10_000,
};

/** Applies the operator's settings, for applications that really have more. The other limits bound what is shown. */
export function storeLimitsOf(env: NodeJS.ProcessEnv): Partial<StoreLimits> {
  const newIssuesPerHour = readCount(env, "HOLDFAST_NEW_ISSUES_PER_HOUR");
  const monitorsPerProject = readCount(env, "HOLDFAST_SCHEDULED_TASKS");
  return {
    ...(newIssuesPerHour !== undefined && { newIssuesPerHour }),
    ...(monitorsPerProject !== undefined && { monitorsPerProject }),
  };
}

/** Files of one event that are listed. A client that attaches more has a fault. */
export const mostAttachments = 200;
