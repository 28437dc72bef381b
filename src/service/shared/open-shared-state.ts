import { existsSync } from "node:fs";
import { join } from "node:path";
import { Accounts } from "../accounts/accounts.ts";
import { accountLimits } from "../accounts/limits.ts";
import { openDatabase } from "../accounts/open-database.ts";
import { RefusalLog } from "../accounts/refusal-log.ts";
import { alertSettingsOf, alertsFile } from "../administration/alert-documents.ts";
import { FileAuditLog } from "../administration/audit-log.ts";
import { SavedSearches, savedSearchLimitsOf, searchesFile } from "../administration/saved-searches.ts";
import { settingsFile, settingsOf } from "../administration/service-settings.ts";
import { openAlertDatabase } from "../alerts/open-alert-database.ts";
import { balanceDatabaseFile, openBalanceDatabase } from "../balance/open-balance-database.ts";
import { systemClock } from "../clock.ts";
import { fileDocument } from "../documents/document.ts";
import { intakeFiguresOf, intakeFile } from "../intake/intake-figures.ts";
import { Projects, projectsFile } from "../projects.ts";
import { type DeferredRows, deferRows } from "../rows/deferred-rows.ts";
import type { Rows } from "../rows/rows.ts";
import { storeAddressOf } from "../stores/store-address.ts";
import { openTokens } from "../tokens/open-tokens.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { openUploadDatabase } from "../uploads/bundles/open-upload-database.ts";
import { UploadChunks } from "../uploads/bundles/upload-chunks.ts";
import { Deploys, deploysFile } from "../uploads/deploys.ts";
import { openFolderClaims } from "./schedule-claims.ts";
import type { SharedState } from "./shared-state.ts";

/** Opens what processes share: in the data folder, or in the database with this address or that of `HOLDFAST_STORE`. */
export async function openSharedState(dataFolder: string, address?: string): Promise<SharedState> {
  const at = storeAddressOf(dataFolder, address);
  if (at.kind === "folder") return folderState(dataFolder);
  const { openPostgresState } = await import("./open-postgres-state.ts");
  return openPostgresState(dataFolder, at);
}

function folderState(dataFolder: string): SharedState {
  const opened: Rows[] = [];
  let projects: Projects | undefined;
  let alerts: Rows | undefined;
  let balance: Rows | undefined;
  let refusals: RefusalLog | undefined;
  let tokens: Tokens | undefined;
  const audit = new FileAuditLog(dataFolder);
  const deferred: DeferredRows[] = [];
  const openAccountRows = (): Rows => {
    const rows = deferRows(() => openDatabase(dataFolder));
    opened.push(rows);
    deferred.push(rows);
    return rows;
  };
  return {
    /** Read when they are needed: a server starts with a broken file too. */
    get projects() {
      projects ??= new Projects(fileDocument(join(dataFolder, projectsFile)));
      return projects;
    },
    settings: settingsOf(fileDocument(join(dataFolder, settingsFile))),
    audit,
    get refusals() {
      refusals ??= new RefusalLog(openAccountRows(), systemClock);
      return refusals;
    },
    get tokens() {
      tokens ??= openTokens(openAccountRows(), audit);
      return tokens;
    },
    alertSettings: alertSettingsOf(fileDocument(join(dataFolder, alertsFile))),
    searches: new SavedSearches(fileDocument(join(dataFolder, searchesFile)), savedSearchLimitsOf(process.env)),
    alertTables: () => {
      alerts ??= openAlertDatabase(dataFolder);
      // One process has the lock of the folder, so that there is nothing to lease.
      return { shared: alerts, own: alerts, lease: async () => true };
    },
    balanceTables: () => {
      if (balance === undefined && existsSync(join(dataFolder, balanceDatabaseFile)))
        balance = openBalanceDatabase(dataFolder);
      return balance;
    },
    openAccounts: (options) => new Accounts(openAccountRows(), systemClock, accountLimits, options),
    openUploads: (limits) => {
      const rows = openUploadDatabase(dataFolder);
      opened.push(rows);
      return new UploadChunks(rows, limits);
    },
    deploys: new Deploys(fileDocument(join(dataFolder, deploysFile))),
    intakeFigures: intakeFiguresOf(fileDocument(join(dataFolder, intakeFile))),
    openScheduleClaims: () => openFolderClaims(dataFolder),
    openFiles: () => {
      for (const rows of deferred) rows.open();
    },
    ready: async () => undefined,
    close: async () => {
      await Promise.all(opened.map((rows) => rows.close()));
      await alerts?.close();
      await balance?.close();
    },
  };
}
