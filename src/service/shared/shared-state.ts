import type { AccountOptions, Accounts } from "../accounts/accounts.ts";
import type { RefusalLog } from "../accounts/refusal-log.ts";
import type { AlertSettings } from "../administration/alert-documents.ts";
import type { AuditLog } from "../administration/audit-log.ts";
import type { SavedSearches } from "../administration/saved-searches.ts";
import type { Settings } from "../administration/service-settings.ts";
import type { AlertTables } from "../alerts/alert-tables.ts";
import type { IntakeFigures } from "../intake/intake-figures.ts";
import type { Projects } from "../projects.ts";
import type { Rows } from "../rows/rows.ts";
import type { Tokens } from "../tokens/tokens.ts";
import type { UploadChunks } from "../uploads/bundles/upload-chunks.ts";
import type { Deploys } from "../uploads/deploys.ts";
import type { UploadLimits } from "../uploads/limits.ts";
import type { NoticeDeps, Notices } from "./notices.ts";
import type { ScheduleClaims } from "./schedule-claims.ts";

/**
 * What all processes of a service know: those with one data folder, or all with one database. Projects and settings are
 * read from the data folder, so that reports are accepted while the database is away.
 */
export interface SharedState {
  readonly projects: Projects;
  readonly settings: Settings;
  readonly audit: AuditLog;
  readonly refusals: RefusalLog;
  readonly alertSettings: AlertSettings;
  /** Searches that people have given a name. */
  readonly searches: SavedSearches;
  /** Opened when they are first used: without channels there is nothing in them. */
  alertTables(): AlertTables;
  /** The books of error pages. Undefined while no client has said anything about its own. */
  balanceTables(): Rows | undefined;
  /** Tokens of people and projects, which programs use. */
  readonly tokens: Tokens;
  openAccounts(options?: AccountOptions): Accounts;
  /** Chunks of uploads that wait for their bundle. */
  openUploads(limits: UploadLimits): UploadChunks;
  readonly deploys: Deploys;
  readonly intakeFigures: IntakeFigures;
  openScheduleClaims(): ScheduleClaims;
  /** Messages between all processes. Only a database has them. */
  openNotices?(deps: NoticeDeps): Notices;
  /** Opens files whose opening was put off until the first response. Throws if one cannot be opened. */
  openFiles?(): void;
  /**
   * Resolves when the database is prepared and its documents are in the data folder. If the database is away, the
   * documents of the last time are enough.
   */
  ready(): Promise<void>;
  close(): Promise<void>;
}
