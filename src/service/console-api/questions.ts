// Queries of the console. A new one is one file of `queries/`, and one line in this list.

export { attachmentOfEvent as attachment, eventByIdOrDigest as event } from "../queries/event.ts";
export { eventJson as publicEvent, eventMarkdown as eventAsMarkdown } from "../queries/export-event.ts";
export { feedbackPage as feedback } from "../queries/feedback.ts";
export { find } from "../queries/find.ts";
export { eventsOfIssue as eventsOf, issueByNumber as issue } from "../queries/issue.ts";
export { issueList as issues, issueTabs, problemsOfFilter as filterProblems } from "../queries/issue-list.ts";
export { live, liveVisitors as visitors, newestRow } from "../queries/live.ts";
export { overview } from "../queries/overview.ts";
export { budgets, exampleTraces, pages } from "../queries/pages.ts";
export { releaseByName as release, releaseNames, releases } from "../queries/releases.ts";
export { scheduledTasks } from "../queries/scheduled-tasks.ts";
export { traceById as trace } from "../queries/trace.ts";
