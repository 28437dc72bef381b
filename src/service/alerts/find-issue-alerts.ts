import type { EventRecord, IssueRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { AlertRule, RuleFilters } from "./alert-settings.ts";

/** An issue that a rule has something to say about. */
export interface IssueAlertFound {
  /** The same for the same cause, also after a restart and in another process. */
  readonly key: string;
  readonly reason: string;
  readonly issue: IssueRecord;
  readonly event: EventRecord | undefined;
}

export interface IssueAlertsFound {
  readonly found: readonly IssueAlertFound[];
  /** Further ones that were not looked at, because there are too many at once. */
  readonly more: number;
  /** Everything up to here was looked at. */
  readonly cursor: number;
}

type IssueStore = Pick<StoreReader, "issueNews" | "issue" | "event">;

/** New issues since the cursor. Without a cursor nothing is reported: what was there before is not new. */
export async function findNewIssues(
  store: IssueStore,
  { project, rule, cursor, atMost }: { project: number; rule: AlertRule; cursor: number | undefined; atMost: number },
): Promise<IssueAlertsFound> {
  const { lastNumber } = await store.issueNews(project, Number.MAX_SAFE_INTEGER, 0);
  const found: IssueAlertFound[] = [];
  let number = cursor ?? lastNumber;
  while (number < lastNumber && found.length < atMost) {
    number += 1;
    const issue = await store.issue(project, { number });
    if (issue === undefined || issue.mergedInto !== undefined) continue;
    const event = await store.event(project, issue.lastEventId);
    if (matches(rule.filters, issue, event))
      found.push({ key: `new-issue ${project}/${number}`, reason: "New issue", issue, event });
  }
  return { found, more: lastNumber - number, cursor: lastNumber };
}

/** Issues that were resolved and have happened again since the cursor. */
export async function findRegressions(
  store: IssueStore,
  { project, rule, cursor, atMost }: { project: number; rule: AlertRule; cursor: number | undefined; atMost: number },
): Promise<IssueAlertsFound> {
  const news = await store.issueNews(project, cursor ?? Number.MAX_SAFE_INTEGER, atMost);
  if (cursor === undefined) return { found: [], more: 0, cursor: news.lastChange };
  const found: IssueAlertFound[] = [];
  for (const { change, issue: id } of news.regressed) {
    const issue = await store.issue(project, { id });
    if (issue === undefined) continue;
    const event = await store.event(project, issue.lastEventId);
    if (matches(rule.filters, issue, event))
      found.push({ key: `regression ${project}/${issue.number}/${change}`, reason: reasonOf(issue), issue, event });
  }
  // The next look continues behind the last one that was read.
  const last = news.regressed.length < atMost ? news.lastChange : (news.regressed.at(-1)?.change ?? cursor);
  return { found, more: 0, cursor: last };
}

function reasonOf({ state }: IssueRecord): string {
  const release = state.kind === "regressed" ? state.release : undefined;
  return release === undefined ? "Happens again" : `Happens again, in ${release}`;
}

function matches(
  { levels, environments, routes }: RuleFilters,
  issue: IssueRecord,
  event: EventRecord | undefined,
): boolean {
  return (
    isAmong(levels, issue.level) &&
    isAmong(environments, event?.environment) &&
    (routes.length === 0 || routes.some((pattern) => fits(pattern, issue.route ?? "")))
  );
}

function isAmong(list: readonly string[], value: string | undefined): boolean {
  return list.length === 0 || (value !== undefined && list.includes(value));
}

function fits(pattern: string, route: string): boolean {
  return pattern.endsWith("*") ? route.startsWith(pattern.slice(0, -1)) : route === pattern;
}
