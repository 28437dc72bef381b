import type { AlertRule } from "../../alerts/alert-settings.ts";
import { dayMs } from "../../clock.ts";
import { everyIssue } from "../../stores/filter-language.ts";
import type { EventSummary, IssueRecord } from "../../stores/records.ts";
import type { StoreReader } from "../../stores/store.ts";
import { IssueCollector, type IssuesFound, type Look } from "./found-issues.ts";

/** Issues with recent events that one look compares. More at once is a flood of new issues. */
const issuesLooked = 100;
const minuteMs = 60_000;

/** Issues with so many events, or so many visitors, in the last minutes. The cursor is the time of the look. */
export async function findFrequent(store: StoreReader, look: Look & { now: number }): Promise<IssuesFound> {
  const { project, rule, now } = look;
  const from = now - rule.minutes * minuteMs;
  const collected = new IssueCollector(store, look);
  const { issues } = await store.issues({ project, filter: everyIssue, sort: "last-seen", limit: issuesLooked });
  for (const issue of issues) {
    if (issue.lastSeen < from || !mayReach(rule, issue)) continue;
    const newest = await store.eventsOf(project, issue.id, { limit: rule.events });
    const reached = reachedIn(
      newest.filter(({ at }) => at >= from && at <= now),
      rule,
    );
    if (reached === undefined) continue;
    const key = `${project}/${issue.number}/${Math.floor(now / dayMs)}`;
    await collected.add(issue, { key, reason: `${reached} in ${rule.minutes} min`, againAfterMs: undefined });
  }
  return collected.result(now);
}

/** A muted issue says nothing, and without enough events in all there are not enough in some minutes. */
function mayReach({ events, visitors }: AlertRule, issue: IssueRecord): boolean {
  return issue.state.kind !== "muted" && (issue.events >= events || issue.visitors >= visitors);
}

/** In words, what of both was reached; undefined if neither was. */
function reachedIn(inTime: readonly EventSummary[], { events, visitors }: AlertRule): string | undefined {
  if (inTime.length >= events) return `${events.toLocaleString("en-US")} events`;
  const found = new Set(inTime.flatMap(({ visitor }) => visitor ?? []));
  return found.size >= visitors ? `${visitors.toLocaleString("en-US")} visitors` : undefined;
}

/** Events of an issue that a preview reads. */
const eventsRead = 2_000;

/** How often an issue would have notified in this time: at most once a day. */
export async function mostFrequent(
  store: Pick<StoreReader, "eventsOf">,
  issue: IssueRecord,
  { from, to, rule }: { from: number; to: number; rule: AlertRule },
): Promise<number> {
  if (!mayReach(rule, issue)) return 0;
  const newest = await store.eventsOf(issue.project, issue.id, { limit: eventsRead });
  const events = newest.filter(({ at }) => at >= from && at <= to).toSorted((a, b) => a.at - b.at);
  let count = 0;
  let silentUntil = 0;
  let first = 0;
  for (const [last, { at }] of events.entries()) {
    while ((events[first]?.at ?? at) < at - rule.minutes * minuteMs) first += 1;
    if (at < silentUntil || reachedIn(events.slice(first, last + 1), rule) === undefined) continue;
    count += 1;
    silentUntil = at + dayMs;
  }
  return count;
}
