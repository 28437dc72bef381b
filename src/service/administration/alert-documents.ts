import { isObject } from "#protocol";
import { type ProjectAlerts, readProjectAlerts } from "../alerts/alert-settings.ts";
import { readDocument, type SharedDocument } from "../documents/document.ts";

export const alertsFile = "alerts.json";

/** What owners have decided about the alerts of each project. The file has secrets: only the service reads it. */
export interface AlertSettings {
  of(project: number): ProjectAlerts;
  change(project: number, change: (before: ProjectAlerts) => ProjectAlerts): Promise<void>;
}

export function alertSettingsOf(document: SharedDocument): AlertSettings {
  return {
    of: (project) => alertsIn(readDocument(document.file), project),
    change: (project, change) =>
      document.change((before) => ({
        ...(isObject(before) ? before : {}),
        [project]: change(alertsIn(before, project)),
      })),
  };
}

function alertsIn(document: unknown, project: number): ProjectAlerts {
  return readProjectAlerts(isObject(document) ? document[project] : undefined);
}
