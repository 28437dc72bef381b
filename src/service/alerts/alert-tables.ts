import type { Rows } from "../rows/rows.ts";

/** The tables of alerts with their columns, for copies of them. */
export const alertTables = {
  alert_notice: [
    "id",
    "project",
    "channel",
    "subject",
    "state",
    "tries",
    "message",
    "due_at",
    "created_at",
    "ended_at",
    "why",
    "failed_at",
  ],
  alert_cursor: ["project", "name", "value"],
} as const;

/** Where the messages of alerts are kept until they are sent. */
export interface AlertTables {
  /** For what all processes of a store look for. */
  readonly shared: Rows;
  /** In the data folder: messages about this machine, which are sent while a database is away. */
  readonly own: Rows;
  /** Whether this process looks for alerts, for so many milliseconds. */
  lease(ms: number): Promise<boolean>;
}
