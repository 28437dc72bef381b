import { IssueCollector, type IssueStore, type IssuesFound, type Look } from "./found-issues.ts";
import { isCheckIn } from "./issue-kinds.ts";

/** New issues since the cursor, which is the number of the last one that was looked at. */
export async function findNewIssues(store: IssueStore, look: Look): Promise<IssuesFound> {
  const { project, cursor, limits } = look;
  const { lastNumber } = await store.issueNews(project, Number.MAX_SAFE_INTEGER, 0);
  const collected = new IssueCollector(store, look);
  if (cursor === undefined) return collected.result(lastNumber);
  const last = Math.min(lastNumber, cursor + limits.issues);
  for (let number = cursor + 1; number <= last; number += 1) {
    const issue = await store.issue(project, { number });
    if (issue === undefined || issue.mergedInto !== undefined) continue;
    const reason = isCheckIn(issue) ? "Scheduled task" : "New issue";
    await collected.add(issue, { key: `${project}/${number}`, reason, againAfterMs: undefined });
  }
  return collected.result(last);
}
