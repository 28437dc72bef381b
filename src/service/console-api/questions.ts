// Queries of the console. A new one is one file of `queries/`, and one line in this list.

export { affectedVisitors } from "../queries/affected-visitors.ts";
export { attachmentOfEvent as attachment, eventByIdOrDigest as event } from "../queries/event.ts";
export { eventJson as publicEvent, eventMarkdown as eventAsMarkdown } from "../queries/export-event.ts";
export { feedbackPage as feedback } from "../queries/feedback.ts";
export { find } from "../queries/find.ts";
export { eventsOfIssue as eventsOf, issueByNumber as issue } from "../queries/issue.ts";
export { issueList as issues, issueTabs, problemsOfFilter as filterProblems } from "../queries/issue-list.ts";
export { issueNeighbours } from "../queries/issue-neighbours.ts";
export { visitorsOfIssue as issueVisitors } from "../queries/issue-visitors.ts";
export { keptSince } from "../queries/kept-since.ts";
export { live, liveVisitors as visitors, newestRow } from "../queries/live.ts";
export { logChart, logs } from "../queries/logs.ts";
export { issueMeant, mergeTargets } from "../queries/merge-targets.ts";
export { newIssueCount, overview } from "../queries/overview.ts";
export { budgets, pages } from "../queries/pages.ts";
export { publicStateByDigest as publicState } from "../queries/public-state.ts";
export { releaseComparison } from "../queries/release-comparison.ts";
export { releaseByName as release, releaseNames, releases } from "../queries/releases.ts";
export { routeExamples } from "../queries/route-examples.ts";
export { routeTrend } from "../queries/route-trend.ts";
export { scheduledTasks } from "../queries/scheduled-tasks.ts";
export { search } from "../queries/search.ts";
export { slowQueries } from "../queries/slow-queries.ts";
export { spans } from "../queries/spans.ts";
export { traceById as trace } from "../queries/trace.ts";
export { usual } from "../queries/usual.ts";
export { visitorById as visitor, visitorNamesOf as visitorNames } from "../queries/visitor.ts";
