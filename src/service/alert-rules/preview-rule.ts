import type { AlertRule } from "../alerts/alert-settings.ts";
import { dayMs, hourMs } from "../clock.ts";
import { sessionHealth } from "../queries/crash-free.ts";
import type { QueryContext } from "../queries/query-context.ts";
import { everyIssue } from "../stores/filter-language.ts";
import type { IssueRecord } from "../stores/records.ts";
import { errorCount } from "../stores/values/page-counts.ts";
import { brokenSince } from "./looks/broken-budgets.ts";
import { mostFrequent } from "./looks/find-frequent.ts";
import { isCheckIn, isError } from "./looks/issue-kinds.ts";
import { crashFree, errorRate, leastErrors, leastSessions, type RateOf } from "./looks/rates.ts";
import { isAmong, passesIssue } from "./looks/rule-filters.ts";

const weekMs = 7 * dayMs;
/** Issues that a preview reads. More than so many alerts in a week is too many anyway. */
const issuesRead = 1_000;
const pageOfIssues = 200;

/** How often a rule would have fired in the last week. Undefined where nothing of the past is known. */
export async function previewRule(
  context: QueryContext,
  project: number,
  rule: AlertRule,
): Promise<number | undefined> {
  switch (rule.kind) {
    case "new-issue":
      return newIssues(context, project, rule, isError);
    case "regression":
      return regressions(context, project, rule, isError);
    case "check-in":
      return (
        (await newIssues(context, project, rule, isCheckIn)) + (await regressions(context, project, rule, isCheckIn))
      );
    case "frequency":
      return frequent(context, project, rule);
    case "error-rate":
      return worseHours(context, await hoursWithErrors(context, project), { project, rule, rate: errorRate });
    case "crash-free":
      return worseHours(context, await hoursWithCrashes(context, project), { project, rule, rate: crashFree });
    case "budget":
      return brokenBudgets(context, project, rule);
    case "service":
      return undefined;
  }
}

type IsMeant = (issue: IssueRecord) => boolean;

async function newIssues({ store, now }: QueryContext, project: number, rule: AlertRule, isMeant: IsMeant) {
  let count = 0;
  const query = { project, filter: everyIssue, sort: "first-seen", limit: pageOfIssues } as const;
  let page = await store.issues(query);
  for (let read = 0; ; read += pageOfIssues) {
    const recent = page.issues.filter(({ firstSeen }) => firstSeen >= now - weekMs);
    for (const issue of recent) if (isMeant(issue) && (await passes({ store, now }, rule, issue))) count += 1;
    if (recent.length < pageOfIssues || page.next === undefined || read >= issuesRead) return count;
    page = await store.issues({ ...query, after: page.next });
  }
}

async function regressions({ store, now }: QueryContext, project: number, rule: AlertRule, isMeant: IsMeant) {
  let count = 0;
  for (let after = 0; ; ) {
    const { regressed } = await store.issueNews(project, after, issuesRead);
    for (const { issue: id } of regressed.filter(({ at }) => at >= now - weekMs)) {
      const issue = await store.issue(project, { id });
      if (issue !== undefined && isMeant(issue) && (await passes({ store, now }, rule, issue))) count += 1;
    }
    if (regressed.length < issuesRead) return count;
    after = regressed.at(-1)?.change ?? after;
  }
}

/** An event is only read where its environment decides. */
async function passes({ store }: QueryContext, { filters }: AlertRule, issue: IssueRecord): Promise<boolean> {
  if (!passesIssue(filters, issue)) return false;
  if (filters.environments.length === 0) return true;
  return isAmong(filters.environments, (await store.event(issue.project, issue.lastEventId))?.environment);
}

/** An issue notifies once a day. */
async function frequent(context: QueryContext, project: number, rule: AlertRule): Promise<number> {
  const { store, now } = context;
  const { issues } = await store.issues({ project, filter: everyIssue, sort: "events", limit: 50 });
  let count = 0;
  for (const issue of issues) {
    if (issue.lastSeen < now - weekMs || !isError(issue) || !(await passes(context, rule, issue))) continue;
    count += await mostFrequent(store, issue, { from: now - weekMs, to: now, rule });
  }
  return count;
}

interface RatedHours {
  readonly project: number;
  readonly rule: AlertRule;
  readonly rate: RateOf;
}

/** Hours that follow each other are one alert. */
async function worseHours({ store }: QueryContext, hours: readonly number[], { project, rule, rate }: RatedHours) {
  let count = 0;
  let last = 0;
  for (const hour of hours) {
    if ((await rate(store, { project, rule, hour })) === undefined) continue;
    if (hour - last > hourMs) count += 1;
    last = hour;
  }
  return count;
}

/** Hours that have ended, oldest first, with enough errors to be compared. */
async function hoursWithErrors({ store, now }: QueryContext, project: number): Promise<number[]> {
  const counts = await store.counts({ project, step: "hour", ...endedHours(now), name: errorCount });
  return hoursOf(counts, (inHour) => inHour.reduce((sum, { n }) => sum + n, 0) >= leastErrors);
}

async function hoursWithCrashes({ store, now }: QueryContext, project: number): Promise<number[]> {
  const { from, to } = endedHours(now);
  return hoursOf(await store.sessions(project, from, to), (inHour) => {
    const { started, crashed } = sessionHealth(inHour);
    return crashed > 0 && started >= leastSessions;
  });
}

function endedHours(now: number): { from: number; to: number } {
  return { from: now - weekMs, to: Math.floor(now / hourMs) * hourMs - 1 };
}

function hoursOf<Row extends { at: number }>(rows: readonly Row[], isEnough: (inHour: Row[]) => boolean): number[] {
  return [...Map.groupBy(rows, ({ at }) => Math.floor(at / hourMs) * hourMs)]
    .filter(([, inHour]) => isEnough(inHour))
    .map(([hour]) => hour)
    .toSorted((a, b) => a - b);
}

async function brokenBudgets({ store, now }: QueryContext, project: number, rule: AlertRule): Promise<number> {
  const releases = (await store.releases(project)).filter(({ firstSeen }) => firstSeen >= now - weekMs);
  let count = 0;
  for (const { firstSeen } of releases) {
    const context = { store, now: Math.min(now, firstSeen + dayMs) };
    count += (await brokenSince(context, { project, rule, since: firstSeen })).length;
  }
  return count;
}
