import { IssueCollector, type IssueStore, type IssuesFound, importedAt, type Look } from "./found-issues.ts";
import { isCheckIn } from "./issue-kinds.ts";

/**
 * New issues since the cursor, which is the number of the last one that was looked at. With several writers a number
 * exists before its first event is counted, and is late then. Imported issues are not new, and leave gaps between their
 * numbers: one that many others have followed does not come any more.
 */
export async function findNewIssues(store: IssueStore, look: Look): Promise<IssuesFound> {
  const { project, cursor, limits } = look;
  const { lastNumber } = await store.issueNews(project, Number.MAX_SAFE_INTEGER, 0);
  const collected = new IssueCollector(store, look);
  if (cursor === undefined) return collected.result(lastNumber);
  const last = Math.min(lastNumber, cursor + Math.max(0, limits.issues - look.late.length));
  const late: number[] = [];
  const numbers = [...look.late, ...Array.from({ length: last - cursor }, (_, n) => cursor + 1 + n)];
  for (const number of numbers) {
    const issue = await store.issue(project, { number });
    if (issue === undefined && number > lastNumber - limits.issues / 2) late.push(number);
    if (issue === undefined || issue.mergedInto !== undefined) continue;
    if ((await importedAt(store, issue)) !== undefined) continue;
    const reason = isCheckIn(issue) ? "Scheduled task" : "New issue";
    await collected.add(issue, { key: `${project}/${number}`, reason, againAfterMs: undefined });
  }
  return collected.result(last, late);
}
