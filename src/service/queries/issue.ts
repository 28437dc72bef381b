import type {
  EventRecord,
  EventSummary,
  GroupRecord,
  HistoryEntry,
  IssueRecord,
  IssueReleaseRecord,
  TagCount,
} from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { EventCursor } from "../stores/store-requests.ts";
import { filled, type Period, stepOf } from "./period.ts";
import type { QueryContext } from "./query-context.ts";
import { type SuspectCommit, suspectCommit } from "./suspect-commit.ts";

export interface IssueAnswer {
  issue: IssueRecord;
  /** Why its events belong together, one entry for each group merged into it. */
  groups: readonly GroupRecord[];
  /** Changes of the issue itself. */
  history: readonly IssueHistoryEntry[];
  /** Issues with a comment that names this one, the newest first. */
  mentionedIn: readonly IssueRecord[];
  /** Events per hour or day of the period, oldest first. */
  chart: readonly number[];
  /** First sighting of each release, for marks in the chart. */
  releases: readonly IssueReleaseRecord[];
  distributions: readonly Distribution[];
  latest: EventRecord | undefined;
  /** The commit that probably caused it. */
  suspect: SuspectCommit | undefined;
  similar: readonly IssueRecord[];
}

export type IssueHistoryEntry = Omit<HistoryEntry, "what"> & {
  what: Exclude<HistoryEntry["what"], { kind: "mentioned" }>;
};

/** Distribution of an issue's events over the values of one tag. */
export interface Distribution {
  key: string;
  total: number;
  values: readonly { value: string; n: number; share: number }[];
}

// More values form a list, not a distribution.
const valuesShown = 10;

/** Finds an issue by its visible number. A number of another project is as unknown as one that never existed. */
export async function issueByNumber(
  { store }: QueryContext,
  project: number,
  number: number,
  period: Period,
): Promise<IssueAnswer | undefined> {
  const issue = await currentIssue(store, project, { number });
  if (issue === undefined) return undefined;
  const { id } = issue;
  const step = stepOf(period);
  const [groups, history, series, releases, tags, latest, similar] = await Promise.all([
    store.groupsOf(project, id),
    store.history(project, id),
    store.series({ project, issues: [id], step, from: period.from, to: period.to }),
    store.releasesOf(project, id),
    store.tagsOf(project, id),
    store.event(project, issue.lastEventId),
    similarTo(store, issue),
  ]);
  const suspect = latest?.body.kind === "whole" ? await suspectCommit(store, issue, latest.body.event) : undefined;
  const chart = filled(series.get(id) ?? [], step, period);
  const distributions = distributionsOf(tags, releases);
  const mentionedIn = await mentionsOf(store, issue, history);
  return {
    issue,
    groups,
    history: history.filter(isOwnChange),
    mentionedIn,
    chart,
    releases,
    distributions,
    latest,
    suspect,
    similar,
  };
}

function isOwnChange(entry: HistoryEntry): entry is IssueHistoryEntry {
  return entry.what.kind !== "mentioned";
}

// More would push the changes of the issue off the screen.
const mentionsShown = 10;

async function mentionsOf(
  store: StoreReader,
  { id, project }: IssueRecord,
  history: readonly HistoryEntry[],
): Promise<readonly IssueRecord[]> {
  const ids = history.flatMap(({ what }) => (what.kind === "mentioned" ? what.issue : [])).reverse();
  const found = await Promise.all(
    [...new Set(ids)].slice(0, mentionsShown).map((other) => currentIssue(store, project, { id: other })),
  );
  const issues = found.filter((one) => one !== undefined).filter((one) => one.id !== id);
  return [...new Map(issues.map((one) => [one.id, one])).values()];
}

/** Finds an issue. For a merged one, it is the issue that has its events now. */
export async function currentIssue(
  store: StoreReader,
  project: number,
  by: { id: number } | { number: number },
): Promise<IssueRecord | undefined> {
  const found = await store.issue(project, by);
  return found?.mergedInto === undefined ? found : store.issue(project, { id: found.mergedInto });
}

/** Returns the events, newest first. Undefined for an unknown issue. */
export async function eventsOfIssue(
  { store }: QueryContext,
  project: number,
  number: number,
  page: { before?: EventCursor; limit: number },
): Promise<readonly EventSummary[] | undefined> {
  const id = await issueIdOf(store, project, number);
  return id === undefined ? undefined : store.eventsOf(project, id, page);
}

/** Resolves a visible number. That of a merged issue leads to the issue that has its events now. */
export async function issueIdOf(store: StoreReader, project: number, number: number): Promise<number | undefined> {
  const issue = await store.issue(project, { number });
  return issue?.mergedInto ?? issue?.id;
}

function distributionsOf(tags: readonly TagCount[], releases: readonly IssueReleaseRecord[]): Distribution[] {
  const counts = [
    // Clients may also send their release as a tag, which would count twice.
    ...tags.filter(({ key }) => key !== "release"),
    ...releases.map(({ release, events }) => ({ key: "release", value: release, n: events })),
  ];
  const byKey = Map.groupBy(counts, ({ key }) => key);
  return [...byKey]
    .map(([key, counts]) => {
      const total = counts.reduce((sum, { n }) => sum + n, 0);
      const values = counts
        .toSorted((a, b) => b.n - a.n)
        .slice(0, valuesShown)
        .map(({ value, n }) => ({ value, n, share: n / total }));
      return { key, total, values };
    })
    .sort((a, b) => importanceOf(a.key) - importanceOf(b.key) || b.total - a.total);
}

const firstKeys = ["route", "browser", "release", "environment", "os"];

function importanceOf(key: string): number {
  const index = firstKeys.indexOf(key);
  return index < 0 ? firstKeys.length : index;
}

/** Finds issues of the same type in the same file: perhaps the same mistake elsewhere. */
export async function similarTo(store: StoreReader, issue: IssueRecord): Promise<readonly IssueRecord[]> {
  const file = issue.culprit?.split(/[:\s]/, 1)[0];
  if (file === undefined) return [];
  const terms = issue.type === undefined ? [] : [{ field: "type" as const, value: issue.type, not: false }];
  const filter = { states: [], terms, words: [{ text: file, not: false }] };
  const { issues } = await store.issues({ project: issue.project, filter, sort: "last-seen", limit: 6 });
  return issues.filter(({ id }) => id !== issue.id).slice(0, 5);
}
