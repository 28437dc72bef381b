import { type Dsn, readDsn } from "#protocol";
import type { ReportSettings } from "../settings.ts";

/** The service of `report.dsn`. The setting comes from a file and often from the environment: it may be anything. */
export function dsnOfSettings({ dsn }: ReportSettings): Dsn | undefined {
  return typeof dsn === "string" ? readDsn(dsn.trim()) : undefined;
}
