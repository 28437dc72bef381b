import type { FindResult } from "../../queries/find.ts";
import type { LogChart } from "../../queries/logs.ts";
import type { PublicEvent } from "../../queries/public-event.ts";
import type { SearchAnswer } from "../../queries/search.ts";
import type { TraceAnswer, TraceEvent } from "../../queries/trace.ts";
import type { VisitorAnswer } from "../../queries/visitor.ts";
import type { LogLine } from "../../stores/filed.ts";
import type { ById, InProject, Page, PageQuery } from "./shared-types.ts";

export interface ApiLogLine extends Omit<LogLine, "attributes"> {
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

export interface LogsQuery extends PageQuery {
  /** Words that a line must have. */
  readonly q: string;
  readonly levels?: readonly string[] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Errors have no ids of rows: their event has the number of its issue. */
export interface ApiTrace extends Omit<TraceAnswer, "errors"> {
  readonly errors: readonly Omit<TraceEvent, "rowId" | "issue" | "project">[];
}

export interface EventOperations {
  "GET /digests/{digest}": {
    params: { readonly digest: string };
    response: { readonly project: number; readonly event: string; readonly issue: number };
  };
  "GET /projects/{project}/events/{id}": { params: ById; response: PublicEvent };
  "GET /projects/{project}/events/{id}/attachments": {
    params: ById;
    response: {
      readonly items: readonly {
        readonly id: number;
        readonly filename: string;
        readonly contentType?: string | undefined;
        readonly size?: number | undefined;
      }[];
    };
  };
  "GET /projects/{project}/events/{id}/attachments/{attachment}": {
    params: ById & { readonly attachment: number };
  };
  "GET /projects/{project}/find": { params: InProject; query: { readonly q: string }; response: FindResult };
  "GET /projects/{project}/search": { params: InProject; query: { readonly q: string }; response: SearchAnswer };
  "GET /projects/{project}/traces/{id}": { params: ById; response: ApiTrace };
  "GET /projects/{project}/logs": { params: InProject; query: LogsQuery; response: Page<ApiLogLine> };
  "GET /projects/{project}/logs/lines": { params: InProject; query: Omit<LogsQuery, "cursor" | "limit"> };
  "GET /projects/{project}/logs/chart": {
    params: InProject;
    query: Omit<LogsQuery, "cursor" | "limit" | "levels">;
    response: LogChart;
  };
  "GET /projects/{project}/visitors/{visitor}": {
    params: InProject & { readonly visitor: number };
    response: VisitorAnswer;
  };
}
