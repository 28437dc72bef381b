import type { Commit, IssueRecord } from "../stores/records.ts";
import type { Store } from "../stores/store.ts";

export interface FixingRelease {
  readonly project: number;
  readonly release: string;
  readonly commits: readonly Commit[];
}

type FixingStore = Pick<Store, "issue" | "history" | "change">;

/**
 * Resolves the issues that commits of a release say they fix, in that release. Each commit does it once: a build is
 * added at every start, and an issue that came back, or that a person opened again, stays open.
 */
export async function resolveFixed(store: FixingStore, fixing: FixingRelease, now: number): Promise<void> {
  const { project, release, commits } = fixing;
  for (const { hash, fixes = [] } of commits)
    for (const fixed of fixes) {
      if (fixed.project !== undefined && fixed.project !== project) continue;
      const issue = await fixedIssue(store, project, fixed.number);
      const by = authorOf(hash);
      if (issue === undefined || issue.state.kind === "resolved") continue;
      if ((await store.history(project, issue.id)).some((entry) => entry.by === by)) continue;
      const change = { kind: "resolve", in: "release", release } as const;
      await store.change({ project, issues: [issue.id], change, by, at: now });
    }
}

/** In the history of an issue, for what a commit did. */
function authorOf(hash: string): string {
  return `commit ${hash.slice(0, 10)}`;
}

async function fixedIssue(store: FixingStore, project: number, number: number): Promise<IssueRecord | undefined> {
  const issue = await store.issue(project, { number });
  return issue?.mergedInto === undefined ? issue : store.issue(project, { id: issue.mergedInto });
}
