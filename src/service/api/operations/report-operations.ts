import type { TaskChange } from "../../console-api/console-api.ts";
import type { FeedbackEntry } from "../../queries/feedback.ts";
import type { PageReport } from "../../queries/pages.ts";
import type { ReleaseAnswer, ReleaseDetails } from "../../queries/releases.ts";
import type { ScheduledTaskAnswer } from "../../queries/scheduled-tasks.ts";
import type { ById, Changed, InProject, Page } from "./shared-types.ts";

export interface ReportOperations {
  "GET /projects/{project}/pages": {
    params: InProject;
    query: { readonly days: number };
    response: { readonly items: readonly PageReport[] };
  };
  "GET /projects/{project}/releases": { params: InProject; response: { readonly items: readonly ReleaseAnswer[] } };
  "GET /projects/{project}/releases/{id}": { params: ById; response: ReleaseDetails };
  "GET /projects/{project}/feedback": {
    params: InProject;
    query: { readonly archived: boolean; readonly cursor?: string | undefined };
    response: Page<FeedbackEntry>;
  };
  "POST /projects/{project}/feedback/changes": {
    params: InProject;
    body: { readonly ids: readonly number[]; readonly archived: boolean };
    response: Changed;
  };
  "GET /projects/{project}/check-ins": {
    params: InProject;
    response: { readonly items: readonly ScheduledTaskAnswer[] };
  };
  "POST /projects/{project}/check-ins/changes": {
    params: InProject;
    body: { readonly name: string; readonly environment?: string | undefined; readonly change: TaskChange };
  };
}
