export {
  type FilterField,
  type FilterTerm,
  type IssueFilter,
  readFilter,
  type StatusName,
  writeFilter,
} from "../stores/filter-language.ts";
export { type AffectedVisitors, affectedVisitors } from "./affected-visitors.ts";
export type { SeenRelease, TrendChange } from "./change-point.ts";
export { type EventAnswer, eventByIdOrDigest } from "./event.ts";
export { type FindResult, find } from "./find.ts";
export { type Distribution, type IssueAnswer, issueByNumber } from "./issue.ts";
export { type IssueListAnswer, type IssueListQuestion, type IssueListRow, issueList, issueTabs } from "./issue-list.ts";
export { type IssueVisitorsAnswer, type IssueVisitorsQuestion, visitorsOfIssue } from "./issue-visitors.ts";
export { type LiveAnswer, type LiveQuestion, type LiveVisitor, live, liveVisitors } from "./live.ts";
export { type ListedLine, type LogChart, type LogsAnswer, type LogsQuestion, logChart, logs } from "./logs.ts";
export {
  type Health,
  type HourTrends,
  type LeftOut,
  newIssueCount,
  type OverviewAnswer,
  overview,
} from "./overview.ts";
export type { PageCacheReport } from "./page-cache.ts";
export {
  budgets,
  type Counts,
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
export { type PublicQuestion, type PublicState, publicStateByDigest } from "./public-state.ts";
export { type ComparedIssue, type ReleaseComparison, releaseComparison } from "./release-comparison.ts";
export { type ReleaseAnswer, type ReleaseCommits, type ReleaseDetails, releaseByName, releases } from "./releases.ts";
export { type ExamplesWanted, type LongestPart, type RouteExample, routeExamples } from "./route-examples.ts";
export { type MeasureTrend, type RouteMeasure, type RouteTrend, routeTrend, type ShareTrend } from "./route-trend.ts";
export { type ScheduledTaskAnswer, type ShownRun, scheduledTasks } from "./scheduled-tasks.ts";
export { type FoundVisitor, type SearchAnswer, search } from "./search.ts";
export { type QueryFinding, type SlowQueriesQuestion, slowQueries } from "./slow-queries.ts";
export { type SpanExample, type SpanGroup, type SpansAnswer, type SpansQuestion, spans } from "./spans.ts";
export type { Task, TaskState } from "./task-state.ts";
export { type LinkedTrace, type TraceAnswer, traceById } from "./trace.ts";
export {
  type Deviation,
  type UsualAnswer,
  type UsualRange,
  type UsualSeries,
  usual,
} from "./usual.ts";
export type { Bounds, UsualBasis } from "./usual-bounds.ts";
export { type NumberedStep, type VisitorAnswer, type VisitorIdentity, visitorById } from "./visitor.ts";
export { type VisitorStep, visitorPath } from "./visitor-path.ts";
export type { PastVisit, VisitPage } from "./visits.ts";
