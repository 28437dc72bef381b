import type { Commit } from "../../records.ts";
import type { StoreFiles } from "../store-files.ts";

export function addCommits({ meta }: StoreFiles, project: number, release: string, commits: readonly Commit[]): void {
  meta.transaction(() =>
    meta.run("INSERT OR REPLACE INTO release_commits VALUES (?, ?, ?)", project, release, JSON.stringify(commits)),
  );
}

export function readReleaseCommits({ meta }: StoreFiles, project: number, release: string): readonly Commit[] {
  const row = meta.one<{ commits: string }>(
    "SELECT commits FROM release_commits WHERE project = ? AND release = ?",
    project,
    release,
  );
  // Validated when they were read from the build.
  return row === undefined ? [] : (JSON.parse(row.commits) as Commit[]);
}
