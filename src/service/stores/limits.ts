export interface StoreLimits {
  /**
   * Beyond so many whole events of one issue in a minute only every tenth body is kept; rows and counters stay exact.
   * 2,000 are enough to see what differs between occurrences, and take a megabyte.
   */
  bodiesPerIssueAndMinute: number;
  /**
   * New issues of one project in an hour. Further new errors are collected in one issue until the hour is over: who
   * knows the public key can make up as many as they like, and nobody reads so many. Each takes some 4 kB for good.
   */
  newIssuesPerHour: number;
  /**
   * New routes, releases, environments, tags and their values in an hour, of all projects; each stays for good. Further
   * ones are counted as others.
   */
  newNamesPerHour: number;
  /** Scheduled tasks of one project. Check-ins of further ones are left out and counted. */
  monitorsPerProject: number;
  /** What visitors wrote, by project; the oldest goes first. */
  feedbackPerProject: number;
}

export const storeLimits: StoreLimits = {
  bodiesPerIssueAndMinute: 2_000,
  newIssuesPerHour: 5_000,
  newNamesPerHour: 20_000,
  monitorsPerProject: 1_000,
  feedbackPerProject: 10_000,
};
