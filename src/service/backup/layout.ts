import { alertsFile } from "../administration/alert-documents.ts";
import { searchesFile } from "../administration/saved-searches.ts";
import { alertDatabaseFile } from "../alerts/open-alert-database.ts";
import { balanceDatabaseFile } from "../balance/open-balance-database.ts";
import { intakeFile } from "../intake/intake-figures.ts";

/** File in a backup with the SHA-256 of the others, by name, as JSON. */
export const checksumsName = "checksums.json";

/** Files of a data folder that are copied as they are. */
export const copiedFiles: readonly string[] = [
  "projects.json",
  "settings.json",
  alertsFile,
  searchesFile,
  intakeFile,
  "deploys.json",
  "audit.jsonl",
];

/**
 * Folders whose files are copied as they are. Reports that could not be filed were acknowledged too. An erasure that
 * had not ended ends after the restore.
 */
export const copiedFolders: readonly string[] = ["unfiled", "erasures"];

const databases: readonly string[] = ["accounts.db", alertDatabaseFile, balanceDatabaseFile];
const filesInFolders: readonly RegExp[] = [
  /^store\/[\w-]+\.db$/,
  /^unfiled\/[\w-]+\.envelope$/,
  /^erasures\/[\w-]+\.json$/,
];

/** A restore writes nothing else into a data folder. */
export function isRestored(name: string): boolean {
  return copiedFiles.includes(name) || databases.includes(name) || filesInFolders.some((names) => names.test(name));
}
