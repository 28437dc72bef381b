import { readDigest } from "#protocol";
import { compareReleases } from "../issues/compare-releases.ts";
import { isFixedIn } from "../issues/issue-state.ts";
import type { HistoryEntry, IssueRecord } from "../stores/records.ts";
import type { QueryContext } from "./query-context.ts";

/** All that a person with a digest may know: nothing of the issue, its events or its releases. */
export type PublicState = "unknown" | "known" | "in-repair" | "repaired";

export interface PublicQuestion {
  /** As it was typed. */
  digest: string;
  /** The release that answers visitors now. */
  release: string | undefined;
}

/** The state of a digest. What is malformed is as unknown as what is not filed yet, or no longer stored. */
export async function publicStateByDigest(
  { store }: QueryContext,
  project: number,
  { digest, release }: PublicQuestion,
): Promise<PublicState> {
  const prefix = readDigest(digest);
  const event = prefix === undefined ? undefined : await store.event(project, prefix);
  if (event === undefined) return "unknown";
  // Both for every state, so that the time of the answer does not tell states apart.
  const [issue, releases, history] = await Promise.all([
    store.issue(project, { id: event.issue }),
    store.releaseNames(project),
    store.history(project, event.issue),
  ]);
  if (issue === undefined) return "unknown";
  return publicStateOf({ ...issue, ...(isAssignedByRule(history) && { assignee: undefined }) }, release, releases);
}

/** A rule says who is responsible, and not that a person works on it. */
function isAssignedByRule(history: readonly HistoryEntry[]): boolean {
  const last = history.findLast(({ what }) => what.kind === "assigned")?.what;
  return last?.kind === "assigned" && last.rule !== undefined;
}

/** `releases`: those that were seen, newest first. */
export function publicStateOf(
  { state, assignee }: Pick<IssueRecord, "state" | "assignee">,
  release: string | undefined,
  releases: readonly string[],
): Exclude<PublicState, "unknown"> {
  if (state.kind === "muted") return "known";
  if (state.kind !== "resolved") return assignee === undefined ? "known" : "in-repair";
  const seen = new Map(releases.map((name, index) => [name, -index]));
  // A running release without reports is newer than those with some, but not the one of a fix that is yet to come.
  const firstSeen = (name: string): number | undefined => seen.get(name) ?? (name === release ? 1 : undefined);
  const compare = (a: string, b: string): number => compareReleases(a, b, firstSeen);
  return isFixedIn(release, state.fixed, compare) ? "repaired" : "in-repair";
}
