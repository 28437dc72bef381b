import { hourMs } from "../clock.ts";
import { filterProblems, type IssueFilter, readFilter } from "../stores/filter-language.ts";
import type { IssueRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { IssueCursor, IssuePage, IssueSort } from "../stores/store-requests.ts";
import { writePlace } from "./issue-neighbours.ts";
import { filled, type Period, stepOf } from "./period.ts";
import type { QueryContext } from "./query-context.ts";

export interface IssueListQuestion {
  project: number;
  /** In the filter language. Empty for all. */
  filter: string;
  sort?: IssueSort;
  /** Cursor from the previous page. */
  after?: string;
  limit?: number;
  /** Period of the sparklines. */
  period: Period;
  /** Only issues with an event in the hour that begins then, those with most of them first, on one page. */
  hour?: number | undefined;
}

export interface IssueListAnswer {
  rows: readonly IssueListRow[];
  /** Cursor of the next page. Undefined on the last. */
  next?: string;
}

export interface IssueListRow extends IssueRecord {
  /** Events per hour or day of the period, oldest first. */
  sparkline: readonly number[];
  eventsInPeriod: number;
  /** The value that sorts the list. It travels in the address of the issue, for its neighbours. */
  place: string;
  /** Events in the asked hour. */
  eventsInHour?: number;
}

// 40 px per row: two screens of a laptop.
const usualLimit = 50;
const mostAtOnce = 200;

export async function issueList({ store }: QueryContext, question: IssueListQuestion): Promise<IssueListAnswer> {
  const { project, sort = "stuck", period } = question;
  const limit = Math.min(Math.max(1, question.limit ?? usualLimit), mostAtOnce);
  const after = question.after === undefined ? undefined : readCursor(question.after);
  const filter = readFilter(question.filter);
  const page: IssuePage & { inHour?: ReadonlyMap<number, number> } =
    question.hour === undefined
      ? await store.issues({ project, filter, sort, limit, ...(after ? { after } : {}) })
      : await issuesInHour(store, { project, filter, hour: question.hour });
  const step = stepOf(period);
  const issues = page.issues.map(({ id }) => id);
  const series = await store.series({ project, issues, step, from: period.from, to: period.to });
  const rows = page.issues.map((issue) => {
    const sparkline = filled(series.get(issue.id) ?? [], step, period);
    const eventsInPeriod = sparkline.reduce((sum, n) => sum + n, 0);
    return {
      ...issue,
      sparkline,
      eventsInPeriod,
      place: writePlace(issue, sort),
      ...(page.inHour && { eventsInHour: page.inHour.get(issue.id) ?? 0 }),
    };
  });
  return page.next ? { rows, next: writeCursor(page.next) } : { rows };
}

/** Counters are kept by issue. More issues that were seen since an hour of the last days are a flood of their own. */
const mostLookedAt = 1_000;

/** Of the issues that were seen since then, the newest first, those with an event in the hour. */
async function issuesInHour(
  store: StoreReader,
  { project, filter, hour }: { project: number; filter: IssueFilter; hour: number },
): Promise<{ issues: readonly IssueRecord[]; inHour: ReadonlyMap<number, number> }> {
  const seen: IssueRecord[] = [];
  for (let after: IssueCursor | undefined; seen.length < mostLookedAt; ) {
    const page = await store.issues({ project, filter, sort: "last-seen", limit: mostAtOnce, ...(after && { after }) });
    seen.push(...page.issues.filter(({ firstSeen, lastSeen }) => lastSeen >= hour && firstSeen < hour + hourMs));
    after = page.next;
    if (after === undefined || (page.issues.at(-1)?.lastSeen ?? 0) < hour) break;
  }
  const ids = seen.map(({ id }) => id);
  const series = await store.series({ project, issues: ids, step: "hour", from: hour, to: hour });
  const inHour = new Map(ids.map((id) => [id, (series.get(id) ?? []).reduce((sum, { n }) => sum + n, 0)]));
  const count = ({ id }: IssueRecord): number => inHour.get(id) ?? 0;
  const issues = seen.filter((issue) => count(issue) > 0).sort((a, b) => count(b) - count(a));
  return { issues: issues.slice(0, mostAtOnce), inHour };
}

/** Counts the issues of each tab, up to 1,000. */
export async function issueTabs(
  { store }: QueryContext,
  project: number,
  filter = "",
): Promise<Readonly<Record<"open" | "regressed" | "resolved" | "muted", number>>> {
  const parsed = readFilter(filter);
  const count = (state: "open" | "regressed" | "resolved" | "muted") =>
    store.countIssues(project, { ...parsed, states: [state] }, 1_000);
  const [open, regressed, resolved, muted] = await Promise.all([
    count("open"),
    count("regressed"),
    count("resolved"),
    count("muted"),
  ]);
  return { open, regressed, resolved, muted };
}

/** Describes the meaningless parts of a filter. */
export function problemsOfFilter({ store }: QueryContext, project: number, filter: string): Promise<readonly string[]> {
  return filterProblems(filter, (key) => store.hasTag(project, key));
}

export function writeCursor({ value, id }: IssueCursor): string {
  return `${value.toString(36)}.${id.toString(36)}`;
}

/** Returns undefined for an invalid cursor, which means the first page. */
export function readCursor(text: string): IssueCursor | undefined {
  const match = /^([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/.exec(text);
  if (!match?.[1] || !match[2]) return undefined;
  return { value: Number.parseInt(match[1], 36), id: Number.parseInt(match[2], 36) };
}
