import type { IssueRecord } from "../stores/records.ts";
import { IssueCollector, type IssueStore, type IssuesFound, type Look } from "./found-issues.ts";

/** Issues that were resolved and have happened again since the cursor, which is the last one that is known. */
export async function findRegressions(store: IssueStore, look: Look): Promise<IssuesFound> {
  const { project, cursor, limits } = look;
  const news = await store.issueNews(project, cursor ?? Number.MAX_SAFE_INTEGER, limits.issues);
  const collected = new IssueCollector(store, look);
  if (cursor === undefined) return collected.result(news.lastRegression);
  for (const { change, issue: id } of news.regressed) {
    const issue = await store.issue(project, { id });
    if (issue !== undefined)
      await collected.add(`regression ${project}/${issue.number}/${change}`, reasonOf(issue), issue, true);
  }
  return collected.result(news.regressed.at(-1)?.change ?? cursor);
}

function reasonOf({ state }: IssueRecord): string {
  const release = state.kind === "regressed" ? state.release : undefined;
  return release === undefined ? "Happens again" : `Happens again, in ${release}`;
}
