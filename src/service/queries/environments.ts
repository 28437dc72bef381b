import { dayMs } from "../clock.ts";
import { everyIssue } from "../stores/filter-language.ts";
import { levelAndEnvironment, logCount } from "../stores/values/page-counts.ts";
import type { QueryContext } from "./query-context.ts";

/** Older ones are not in use any more. */
const latelyMs = 14 * dayMs;
/** Each is read from the disk. */
const newestIssues = 30;
/** More are invented by clients. */
const mostEnvironments = 50;

/** Environments from which something was reported lately: visits, lines of logs, tasks, and the newest issues. */
export async function environments({ store, now }: QueryContext, project: number): Promise<readonly string[]> {
  const from = now - latelyMs;
  const [sessions, lines, tasks, { issues }] = await Promise.all([
    store.sessions(project, from, now),
    store.counts({ project, step: "day", from, to: now, name: logCount }),
    store.monitors(project),
    store.issues({ project, filter: everyIssue, sort: "last-seen", limit: newestIssues }),
  ]);
  const events = await store.eventsById(
    project,
    issues.map(({ lastEventId }) => lastEventId),
  );
  const found = new Set([
    ...[...sessions, ...tasks, ...events].map(({ environment }) => environment),
    ...lines.map(({ label }) => levelAndEnvironment(label).environment),
  ]);
  return [...found]
    .filter((one) => one !== undefined && one !== "")
    .sort()
    .slice(0, mostEnvironments) as string[];
}
