import type { AlertConditions } from "../../administration/alert-administration.ts";
import type { AlertRule } from "../../alerts/alert-settings.ts";
import type { AlertsAnswer } from "../../console-api/alerts-api.ts";
import type { ById, InProject } from "./shared-types.ts";

export interface ChannelBody {
  readonly name: string;
  readonly channel: Readonly<Record<string, unknown>>;
}

export interface AlertConditionsBody extends Omit<AlertConditions, "quietHours"> {
  readonly quietHours?: AlertConditions["quietHours"];
}

export interface AlertOperations {
  "GET /projects/{project}/alerts": { params: InProject; response: AlertsAnswer };
  "PUT /projects/{project}/alerts/rules": { params: InProject; body: AlertRule };
  "POST /projects/{project}/alerts/rules/preview": {
    params: InProject;
    body: AlertRule;
    response: { readonly times?: number | undefined };
  };
  "PUT /projects/{project}/alerts/conditions": { params: InProject; body: AlertConditionsBody };
  "POST /projects/{project}/alerts/channels": { params: InProject; body: ChannelBody };
  "PUT /projects/{project}/alerts/channels/{id}": { params: ById; body: ChannelBody };
  "DELETE /projects/{project}/alerts/channels/{id}": { params: ById };
  "POST /projects/{project}/alerts/channels/{id}/test": { params: ById };
}
