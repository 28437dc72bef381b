import type { IssueRecord } from "../../stores/records.ts";
import { IssueCollector, type IssueStore, type IssuesFound, importedAt, type Look } from "./found-issues.ts";
import { isCheckIn } from "./issue-kinds.ts";

/** Issues that were resolved and have happened again since the cursor, which is the last one that is known. */
export async function findRegressions(store: IssueStore, look: Look): Promise<IssuesFound> {
  const { project, cursor, limits } = look;
  const news = await store.issueNews(project, cursor ?? Number.MAX_SAFE_INTEGER, limits.issues);
  const collected = new IssueCollector(store, look);
  if (cursor === undefined) return collected.result(news.lastRegression);
  for (const { change, issue: id, at } of news.regressed) {
    const issue = await store.issue(project, { id });
    if (issue !== undefined && at <= ((await importedAt(store, issue)) ?? 0)) continue;
    const key = `${project}/${issue?.number}/${change}`;
    if (issue !== undefined) await collected.add(issue, { key, reason: reasonOf(issue), againAfterMs: 0 });
  }
  return collected.result(news.regressed.at(-1)?.change ?? cursor);
}

function reasonOf(issue: IssueRecord): string {
  if (isCheckIn(issue)) return "Scheduled task";
  const release = issue.state.kind === "regressed" ? issue.state.release : undefined;
  return release === undefined ? "Happens again" : `Happens again, in ${release}`;
}
