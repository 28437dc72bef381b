import type { EventRecord, GroupRecord, HistoryEntry, IssueRecord, StoreReader } from "../stores/store.ts";
import { filled, type Period, stepOf } from "./period.ts";

export interface IssueAnswer {
  issue: IssueRecord;
  /** Why its events belong together, one entry for each group that was merged into it. */
  groups: readonly GroupRecord[];
  history: readonly HistoryEntry[];
  /** Events per hour or day of the period, oldest first. */
  chart: readonly number[];
  /** When each release was first seen, for marks in the chart. */
  releases: readonly { release: string; firstSeen: number; lastSeen: number; events: number }[];
  distributions: readonly Distribution[];
  latest: EventRecord | undefined;
  similar: readonly IssueRecord[];
}

/** How the events of an issue spread over the values of one tag. */
export interface Distribution {
  key: string;
  total: number;
  values: readonly { value: string; n: number; share: number }[];
}

// More values than these are a list, not a distribution.
const valuesShown = 10;

/** By the number people see. A number of another project is as unknown as one that never was. */
export function issueByNumber(
  store: StoreReader,
  project: number,
  number: number,
  period: Period,
): IssueAnswer | undefined {
  const found = store.issue(project, { number });
  const issue = found?.mergedInto === undefined ? found : store.issue(project, { id: found.mergedInto });
  if (issue === undefined) return undefined;
  const { id } = issue;
  const step = stepOf(period);
  return {
    issue,
    groups: store.groupsOf(project, id),
    history: store.history(project, id),
    chart: filled(store.series(project, [id], step, period.from, period.to).get(id) ?? [], step, period),
    releases: store.releasesOf(project, id),
    distributions: distributionsOf(store, project, id),
    latest: store.event(project, issue.lastEventId),
    similar: similarTo(store, issue),
  };
}

function distributionsOf(store: StoreReader, project: number, issue: number): Distribution[] {
  const releases = store
    .releasesOf(project, issue)
    .map(({ release, events }) => ({ key: "release", value: release, n: events }));
  // Clients may send their release as a tag too; it would count twice.
  const tags = store.tagsOf(project, issue).filter(({ key }) => key !== "release");
  const byKey = Map.groupBy([...tags, ...releases], ({ key }) => key);
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

/** Others of the same type in the same file: perhaps the same mistake in another place. */
function similarTo(store: StoreReader, issue: IssueRecord): readonly IssueRecord[] {
  const file = issue.culprit?.split(/[:\s]/, 1)[0];
  if (file === undefined) return [];
  const terms = issue.type === undefined ? [] : [{ field: "type" as const, value: issue.type, not: false }];
  const filter = { states: [], terms, words: [{ text: file, not: false }] };
  const { issues } = store.issues({ project: issue.project, filter, sort: "last-seen", limit: 6 });
  return issues.filter(({ id }) => id !== issue.id).slice(0, 5);
}
