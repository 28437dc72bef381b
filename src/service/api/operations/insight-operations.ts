import type { BalanceHour } from "../../console-api/balance-api.ts";
import type { IssueVisitorsAnswer } from "../../queries/issue-visitors.ts";
import type { LiveAnswer } from "../../queries/live.ts";
import type { OverviewAnswer } from "../../queries/overview.ts";
import type { ReleaseComparison } from "../../queries/release-comparison.ts";
import type { RouteTrend } from "../../queries/route-trend.ts";
import type { Deploy } from "../../uploads/deploys.ts";
import type { ById, InIssue, InProject } from "./shared-types.ts";

export interface InsightOperations {
  "GET /projects/{project}/overview": { params: InProject; response: OverviewAnswer };
  "GET /projects/{project}/live": {
    params: InProject;
    query: { readonly after?: number | undefined; readonly visitor?: number | undefined };
    response: LiveAnswer;
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
    response: Omit<IssueVisitorsAnswer, "issue" | "hasNext">;
  };
  "GET /projects/{project}/pages/route": {
    params: InProject;
    query: { readonly route: string; readonly days: number };
    response: RouteTrend;
  };
  "GET /projects/{project}/releases/compared": {
    params: InProject;
    query: { readonly from: string; readonly to: string };
    response: ReleaseComparison;
  };
  "GET /projects/{project}/releases/{id}/deploys": { params: ById; response: { readonly items: readonly Deploy[] } };
  "GET /projects/{project}/balance": {
    params: InProject;
    query: { readonly hours: number };
    response: { readonly items: readonly BalanceHour[] };
  };
}
