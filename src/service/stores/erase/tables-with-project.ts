/** Tables of both stores whose rows name their project, and last longer than events. */
export const tablesWithProject: readonly string[] = [
  "issue",
  "release",
  "release_chunk",
  "release_commits",
  "sketch_hour",
  "sketch_day",
  "sketch_release",
  "count_hour",
  "count_day",
  "session_hour",
  "traffic_quarter",
  "affected_hour",
  "discard_hour",
  "monitor",
  "source_map",
];
