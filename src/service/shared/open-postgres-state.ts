import { join } from "node:path";
import { Accounts } from "../accounts/accounts.ts";
import { accountLimits } from "../accounts/limits.ts";
import { RefusalLog } from "../accounts/refusal-log.ts";
import { alertSettingsOf, alertsFile } from "../administration/alert-documents.ts";
import { RowAuditLog } from "../administration/audit-log.ts";
import { SavedSearches, savedSearchLimitsOf, searchesFile } from "../administration/saved-searches.ts";
import { settingsFile, settingsOf } from "../administration/service-settings.ts";
import { machineAlertDatabaseFile, openAlertDatabase } from "../alerts/open-alert-database.ts";
import { systemClock } from "../clock.ts";
import { intakeFiguresOf, intakeFile } from "../intake/intake-figures.ts";
import { Projects, projectsFile } from "../projects.ts";
import type { Rows } from "../rows/rows.ts";
import { connect } from "../stores/postgres/connect/connections.ts";
import { loadDriver } from "../stores/postgres/connect/driver.ts";
import { Hosts } from "../stores/postgres/connect/hosts.ts";
import { isUnavailable } from "../stores/postgres/connect/problems.ts";
import { takeLease } from "../stores/postgres/lease.ts";
import { postgresLimits } from "../stores/postgres/limits.ts";
import { migrate } from "../stores/postgres/migrations/migrate.ts";
import { postgresRows } from "../stores/postgres/shared/postgres-rows.ts";
import { SharedDocuments } from "../stores/postgres/shared/shared-documents.ts";
import { openTokens } from "../tokens/open-tokens.ts";
import { UploadChunks } from "../uploads/bundles/upload-chunks.ts";
import { Deploys, deploysFile } from "../uploads/deploys.ts";
import { PostgresNotices } from "./notices.ts";
import { claimsIn } from "./schedule-claims.ts";
import type { SharedState } from "./shared-state.ts";

/** So late a change of projects and settings reaches other processes. The question takes less than a millisecond. */
const mirrorMs = 1_000;

/** A notice takes milliseconds. A database that is this busy has other troubles. */
const probeMs = 10_000;

/** Contacts the database when it is needed, and each second for what other processes have changed. */
export async function openPostgresState(
  dataFolder: string,
  { address, writer }: { address: string; writer: string },
): Promise<SharedState> {
  const connections = await connect(address, postgresLimits);
  const driver = await loadDriver();
  const rows = postgresRows(connections.shared);
  const documents = new SharedDocuments(rows);
  let projects: Projects | undefined;
  const projectsDocument = documents.document("projects", join(dataFolder, projectsFile), () => projects?.readNow());
  const settings = settingsOf(documents.document("settings", join(dataFolder, settingsFile)));
  const alertSettings = alertSettingsOf(documents.document("alerts", join(dataFolder, alertsFile)));
  const searches = new SavedSearches(
    documents.document("searches", join(dataFolder, searchesFile)),
    savedSearchLimitsOf(process.env),
  );
  let ownAlerts: Rows | undefined;
  const deploys = new Deploys(documents.document("deploys", join(dataFolder, deploysFile)));
  const intakeFigures = intakeFiguresOf(documents.document("intake", join(dataFolder, intakeFile)));
  let isPrepared = false;
  const mirror = async (): Promise<void> => {
    if (!isPrepared) await migrate(connections.preparing);
    isPrepared = true;
    await documents.mirror();
  };
  const knownProjects = (): Projects => {
    projects ??= new Projects(projectsDocument);
    return projects;
  };
  let running: Promise<void> | undefined;
  const mirrorOnce = (): Promise<void> => {
    running ??= mirror().finally(() => {
      running = undefined;
    });
    return running;
  };
  // The next turn tries again. Whether the database is away is known from filing.
  const timer = setInterval(() => void mirrorOnce().catch(() => undefined), mirrorMs).unref();
  const audit = new RowAuditLog(rows);
  return {
    get projects() {
      return knownProjects();
    },
    settings,
    audit,
    refusals: new RefusalLog(rows, systemClock),
    tokens: openTokens(rows, audit),
    alertSettings,
    searches,
    alertTables: () => {
      ownAlerts ??= openAlertDatabase(dataFolder, machineAlertDatabaseFile);
      return { shared: rows, own: ownAlerts, lease: (ms) => takeLease(rows, writer, "alerts", ms) };
    },
    balanceTables: () => rows,
    openAccounts: (options) => new Accounts(rows, systemClock, accountLimits, options),
    openUploads: (limits) => new UploadChunks(rows, limits),
    deploys,
    intakeFigures,
    openScheduleClaims: () => claimsIn(rows),
    openNotices: (deps) =>
      new PostgresNotices({
        ...deps,
        pool: connections.shared,
        hosts: new Hosts(driver, address, postgresLimits),
        probeMs,
      }),
    ready: async () => {
      try {
        await mirrorOnce();
      } catch (error) {
        if (!isUnavailable(error) || knownProjects().all.length === 0) throw error;
      }
    },
    close: async () => {
      clearInterval(timer);
      await running?.catch(() => undefined);
      await ownAlerts?.close();
      await connections.close();
    },
  };
}
