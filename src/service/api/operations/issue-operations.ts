import type { NumberedChange } from "../../console-api/console-api.ts";
import type { IssueAnswer } from "../../queries/issue.ts";
import type { EventSummary, IssueRecord } from "../../stores/records.ts";
import type { IssueSort } from "../../stores/store-requests.ts";
import type { Changed, InIssue, InProject, Page, PageQuery } from "./shared-types.ts";

export interface IssuesQuery extends PageQuery {
  /** In the filter language of the console's search box. */
  readonly q: string;
  readonly sort: IssueSort;
}

export type ApiIssue = Omit<IssueRecord, "id" | "mergedInto" | "project">;

export type ApiEventSummary = Omit<EventSummary, "rowId" | "project" | "issue">;

/** An issue as a whole. Other issues are in `similar` and `mentionedIn`. */
export interface ApiIssueDetails {
  readonly issue: ApiIssue;
  readonly history: IssueAnswer["history"];
  readonly releases: IssueAnswer["releases"];
  readonly distributions: IssueAnswer["distributions"];
  readonly suspect?: IssueAnswer["suspect"];
  readonly similar: readonly ApiIssue[];
  readonly mentionedIn: readonly ApiIssue[];
}

/** A change of issues. Without `to`, they are assigned to no person; without `address`, they have no ticket. */
export type ApiIssueChange =
  | Exclude<NumberedChange, { kind: "assign" | "ticket" }>
  | { readonly kind: "assign"; readonly to?: string | undefined }
  | { readonly kind: "ticket"; readonly address?: string | undefined };

export interface IssueOperations {
  "GET /projects/{project}/issues": { params: InProject; query: IssuesQuery; response: Page<ApiIssue> };
  "POST /projects/{project}/issues/changes": {
    params: InProject;
    body: { readonly numbers: readonly number[]; readonly change: ApiIssueChange };
    response: Changed;
  };
  "GET /projects/{project}/issues/{number}": { params: InIssue; response: ApiIssueDetails };
  "POST /projects/{project}/issues/{number}/changes": { params: InIssue; body: ApiIssueChange; response: ApiIssue };
  "GET /projects/{project}/issues/{number}/events": {
    params: InIssue;
    query: PageQuery;
    response: Page<ApiEventSummary>;
  };
}
