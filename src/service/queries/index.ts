export {
  type FilterField,
  type FilterTerm,
  type IssueFilter,
  readFilter,
  type StatusName,
  writeFilter,
} from "../stores/filter-language.ts";
export { type EventAnswer, eventByIdOrDigest } from "./event.ts";
export { type FindResult, find } from "./find.ts";
export { type Distribution, type IssueAnswer, issueByNumber } from "./issue.ts";
export { type IssueListAnswer, type IssueListQuestion, type IssueListRow, issueList, issueTabs } from "./issue-list.ts";
export { type LiveAnswer, type LiveQuestion, type LiveVisitor, live, liveVisitors } from "./live.ts";
export { type Health, type LeftOut, type OverviewAnswer, overview } from "./overview.ts";
export {
  budgets,
  type Counts,
  type ExampleQuestion,
  exampleTraces,
  type PageBudgets,
  type PageReport,
  pages,
  type Quantiles,
  type Rating,
  ratingOf,
  type Vital,
  type VitalName,
  vitalBounds,
} from "./pages.ts";
export { lastDays, type Period, stepOf } from "./period.ts";
export { type PublicEvent, type PublicException, type PublicFrame, publicEvent } from "./public-event.ts";
export { type ReleaseAnswer, type ReleaseCommits, type ReleaseDetails, releaseByName, releases } from "./releases.ts";
export { type ScheduledTaskAnswer, type ShownRun, scheduledTasks } from "./scheduled-tasks.ts";
export type { Task, TaskState } from "./task-state.ts";
export { type LinkedTrace, type TraceAnswer, traceById } from "./trace.ts";
export { type VisitorStep, visitorPath } from "./visitor-path.ts";
