import type { AfterErrors } from "../../balance/after-errors.ts";
import type { BalanceHour } from "../../console-api/balance-api.ts";
import type { IssueVisitorsAnswer } from "../../queries/issue-visitors.ts";
import type { LiveAnswer, LiveVisitor } from "../../queries/live.ts";
import type { OverviewAnswer } from "../../queries/overview.ts";
import type { PageBudgets } from "../../queries/pages.ts";
import type { ReleaseComparison } from "../../queries/release-comparison.ts";
import type { RouteExample } from "../../queries/route-examples.ts";
import type { RouteTrend } from "../../queries/route-trend.ts";
import type { SegmentKind } from "../../stores/filed.ts";
import type { Deploy } from "../../uploads/deploys.ts";
import type { ApiIssue } from "./issue-operations.ts";
import type { ById, InIssue, InProject } from "./shared-types.ts";

export interface ApiLive extends Omit<LiveAnswer, "records"> {
  readonly records: readonly WithoutIds<LiveAnswer["records"][number]>[];
}

/** Positions are in `after`, and an event has the number of its issue. */
type WithoutIds<LiveRecord> = LiveRecord extends unknown ? Omit<LiveRecord, "rowId" | "issue"> : never;

export interface ApiOverview extends Omit<OverviewAnswer, "widestIssues" | "newIssues" | "regressedIssues" | "tasks"> {
  readonly widestIssues: readonly ApiIssue[];
  readonly newIssues: readonly ApiIssue[];
  readonly regressedIssues: readonly ApiIssue[];
  readonly tasks: readonly Omit<OverviewAnswer["tasks"][number], "project" | "watch">[];
}

interface ApiComparedIssue extends Omit<ReleaseComparison["newIssues"][number], "issue"> {
  readonly issue: ApiIssue;
}

export interface ApiReleaseComparison extends Omit<ReleaseComparison, "newIssues" | "goneIssues" | "grownIssues"> {
  readonly newIssues: readonly ApiComparedIssue[];
  readonly goneIssues: readonly ApiComparedIssue[];
  readonly grownIssues: readonly ApiComparedIssue[];
}

export type ApiDeploy = Omit<Deploy, "project">;

export type ApiIssueVisitors = Omit<IssueVisitorsAnswer, "issue" | "hasNext">;

export interface RouteExamplesQuery {
  readonly route: string;
  readonly days: number;
  readonly minMs: number;
  readonly maxMs?: number | undefined;
  readonly kind?: SegmentKind | undefined;
  readonly release?: string | undefined;
}

/** Milliseconds that a page may take, as its module declares them. */
export type ApiPageBudget = PageBudgets[string];

export interface InsightOperations {
  "GET /projects/{project}/overview": { params: InProject; response: ApiOverview };
  "GET /projects/{project}/live": {
    params: InProject;
    query: { readonly after?: number | undefined; readonly visitor?: number | undefined };
    response: ApiLive;
  };
  "GET /projects/{project}/issues/news": {
    params: InProject;
    query: { readonly q: string; readonly after?: number | undefined };
    response: { readonly events: number; readonly issues: number };
  };
  "GET /projects/{project}/issues/counts": {
    params: InProject;
    query: { readonly q: string };
    response: Readonly<Record<"open" | "regressed" | "resolved" | "muted", number>>;
  };
  "GET /projects/{project}/issues/{number}/visitors": {
    params: InIssue;
    query: { readonly sort: "last" | "first" | "events"; readonly page: number };
    response: ApiIssueVisitors;
  };
  "GET /projects/{project}/pages/route": {
    params: InProject;
    query: { readonly route: string; readonly days: number };
    response: RouteTrend;
  };
  "GET /projects/{project}/releases/compared": {
    params: InProject;
    query: { readonly from: string; readonly to: string };
    response: ApiReleaseComparison;
  };
  "GET /projects/{project}/releases/{id}/deploys": { params: ById; response: { readonly items: readonly ApiDeploy[] } };
  "GET /projects/{project}/balance/after-errors": { params: InProject; response: AfterErrors };
  "GET /projects/{project}/environments": { params: InProject; response: { readonly items: readonly string[] } };
  "GET /projects/{project}/pages/examples": {
    params: InProject;
    query: RouteExamplesQuery;
    response: { readonly items: readonly RouteExample[] };
  };
  "GET /projects/{project}/pages/budgets": {
    params: InProject;
    response: { readonly routes: Readonly<Record<string, ApiPageBudget>> };
  };
  "GET /projects/{project}/live/visitors": {
    params: InProject;
    response: { readonly items: readonly LiveVisitor[] };
  };
  "GET /projects/{project}/issues/merge-targets": {
    params: InProject;
    query: { readonly numbers: readonly number[]; readonly q: string };
    response: { readonly items: readonly ApiIssue[] };
  };
  "GET /projects/{project}/balance": {
    params: InProject;
    query: { readonly hours: number };
    response: { readonly items: readonly BalanceHour[] };
  };
}
