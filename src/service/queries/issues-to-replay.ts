import { dayMs } from "../clock.ts";
import { compareReleases } from "../issues/compare-releases.ts";
import { isFixedIn } from "../issues/issue-state.ts";
import type { StatusName } from "../stores/filter-language.ts";
import type { GroupRecord, IssueRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { QueryContext } from "./query-context.ts";

/** An issue whose request a new build has to answer. */
export interface IssueToReplay {
  issue: IssueRecord;
  /** `fixed`: it is resolved, and the fix is said to be in the release. */
  claim: "fixed" | "open";
  /** Events in the last days. */
  events: number;
}

export interface ReplayQuestion {
  project: number;
  /** That of the new build. */
  release: string | undefined;
  /** How many open issues, and how many resolved ones. */
  atMost: number;
}

/** An error without an event for two weeks is rare, or gone. */
const openDays = 14;
/** A fix that has held for a month is part of what the application's own tests cover. */
const resolvedDays = 30;
/** Issues are ranked among the ones that were seen last. More would take seconds in a large store. */
const rankedAtMost = 200;

/** The issues that were resolved lately, and the open ones with most events in the last days. */
export async function issuesToReplay(context: QueryContext, question: ReplayQuestion): Promise<IssueToReplay[]> {
  const { store, now } = context;
  const claimOf = await claimsIn(store, question);
  const [open, resolved] = await Promise.all([
    recentIssues(store, question.project, ["open", "regressed"]),
    recentIssues(store, question.project, ["resolved"]),
  ]);
  const seenLately = open.filter(({ lastSeen }) => lastSeen >= now - openDays * dayMs);
  const resolvedLately = resolved.filter(
    ({ state }) => state.kind === "resolved" && state.at >= now - resolvedDays * dayMs,
  );
  return [
    ...(await mostFrequent(context, resolvedLately, { ...question, days: resolvedDays })),
    ...(await mostFrequent(context, seenLately, { ...question, days: openDays })),
  ].map(([issue, events]) => ({ issue, claim: claimOf(issue), events }));
}

/** A failure as another store has filed it. */
export interface SeenFailure {
  type: string | undefined;
  title: string;
  groups: readonly Pick<GroupRecord, "version" | "rule" | "parts">[];
}

/**
 * Finds the issue that a failure belongs to: by its grouping, else by its type and title. `likely` is looked at first.
 */
export async function findKnownIssue(
  { store }: QueryContext,
  failure: SeenFailure,
  likely: IssueToReplay,
  question: ReplayQuestion,
): Promise<{ issue: IssueRecord; claim: IssueToReplay["claim"] | "muted" } | undefined> {
  const { project } = question;
  const terms = failure.type === undefined ? [] : [{ field: "type" as const, value: failure.type, not: false }];
  const filter = { states: [], terms, words: [] };
  const { issues } = await store.issues({ project, filter, sort: "last-seen", limit: rankedAtMost });
  const candidates = [likely.issue, ...issues.filter(({ id }) => id !== likely.issue.id)];
  const claimOf = await claimsIn(store, question);
  const known = (issue: IssueRecord) =>
    ({ issue, claim: issue.state.kind === "muted" ? "muted" : claimOf(issue) }) as const;
  const wanted = new Set(failure.groups.map(groupKey));
  for (const issue of candidates) {
    const groups = await store.groupsOf(project, issue.id);
    if (groups.some((group) => wanted.has(groupKey(group)))) return known(issue);
  }
  const sameTitle = candidates.find(({ type, title }) => type === failure.type && title === failure.title);
  return sameTitle && known(sameTitle);
}

function groupKey({ version, rule, parts }: SeenFailure["groups"][number]): string {
  return JSON.stringify([version, rule, parts]);
}

async function claimsIn(
  store: StoreReader,
  { project, release }: ReplayQuestion,
): Promise<(issue: IssueRecord) => IssueToReplay["claim"]> {
  const firstSeen = new Map((await store.releases(project)).map((one) => [one.name, one.firstSeen]));
  const compare = (a: string, b: string): number => compareReleases(a, b, (name) => firstSeen.get(name));
  return ({ state }) => (state.kind === "resolved" && isFixedIn(release, state.fixed, compare) ? "fixed" : "open");
}

async function recentIssues(
  store: StoreReader,
  project: number,
  states: readonly StatusName[],
): Promise<readonly IssueRecord[]> {
  const filter = { states, terms: [], words: [] };
  return (await store.issues({ project, filter, sort: "last-seen", limit: rankedAtMost })).issues;
}

async function mostFrequent(
  { store, now }: QueryContext,
  issues: readonly IssueRecord[],
  { project, atMost, days }: ReplayQuestion & { days: number },
): Promise<(readonly [IssueRecord, number])[]> {
  const ids = issues.map(({ id }) => id);
  const from = Math.floor(now / dayMs) * dayMs - days * dayMs;
  const series = await store.series({ project, issues: ids, step: "day", from, to: now });
  return issues
    .map((issue) => [issue, (series.get(issue.id) ?? []).reduce((sum, { n }) => sum + n, 0)] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, atMost);
}
