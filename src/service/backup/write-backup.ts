import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "#errors";
import { alertDatabaseFile } from "../alerts/open-alert-database.ts";
import { balanceDatabaseFile } from "../balance/open-balance-database.ts";
import { serviceErrors } from "../errors.ts";
import { openReader } from "../open-reader.ts";
import { checksumsName, copiedFiles, copiedFolders, isRestored } from "./layout.ts";
import { TarWriter } from "./tar.ts";

/**
 * Writes everything filed, the projects and the accounts into one file, as of one moment. The service may run
 * meanwhile. The file gets its name once it is complete.
 */
export async function writeBackup(dataFolder: string, file: string): Promise<void> {
  if (existsSync(file)) throw serviceErrors.backupExists(file);
  const scratch = scratchFolder(file);
  try {
    const unfinished = join(scratch, "backup.tar");
    writeTar(unfinished, await copiesOf(dataFolder, scratch));
    renameSync(unfinished, file);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Creates a folder beside the backup, so that the finished file is renamed and not copied. */
function scratchFolder(file: string): string {
  try {
    return mkdtempSync(join(dirname(resolve(file)), ".holdfast-backup-"));
  } catch (error) {
    throw serviceErrors.backupNotWritable(file, messageOf(error));
  }
}

interface Copy {
  readonly name: string;
  readonly path: string;
}

async function copiesOf(dataFolder: string, scratch: string): Promise<readonly Copy[]> {
  // Before the store, so that alerts and books have not seen more of it than the backup has.
  const alerts = copyIfThere(dataFolder, scratch, alertDatabaseFile);
  const balance = copyIfThere(dataFolder, scratch, balanceDatabaseFile);
  const store = await openReader(dataFolder);
  try {
    await store.backup(join(scratch, "store"));
  } finally {
    store.close();
  }
  const copies: Copy[] = [
    ...filesIn(join(scratch, "store"), "store"),
    ...alerts,
    ...balance,
    ...copyIfThere(dataFolder, scratch, "accounts.db"),
  ];
  // Copied first, because the audit log may grow meanwhile.
  for (const name of copiedFiles) {
    if (!existsSync(join(dataFolder, name))) continue;
    copyFileSync(join(dataFolder, name), join(scratch, name));
    copies.push({ name, path: join(scratch, name) });
  }
  for (const name of copiedFolders) {
    if (!existsSync(join(dataFolder, name))) continue;
    // A file that is being written has another name until it is complete.
    copies.push(...filesIn(join(dataFolder, name), name).filter((file) => isRestored(file.name)));
  }
  return copies;
}

function filesIn(folder: string, below: string): Copy[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name: `${below}/${name}`, path: join(folder, name) }));
}

function copyIfThere(dataFolder: string, scratch: string, name: string): Copy[] {
  if (!existsSync(join(dataFolder, name))) return [];
  copyDatabase(join(dataFolder, name), join(scratch, name));
  return [{ name, path: join(scratch, name) }];
}

function copyDatabase(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  try {
    database.prepare("VACUUM INTO ?").run(to);
  } finally {
    database.close();
  }
}

/** The checksums are last: a truncated file has none. */
function writeTar(file: string, copies: readonly Copy[]): void {
  const tar = new TarWriter(file);
  try {
    const checksums: Record<string, string> = {};
    for (const { name, path } of copies) {
      const hash = createHash("sha256");
      tar.addFile(name, path, (piece) => hash.update(piece));
      checksums[name] = hash.digest("hex");
    }
    tar.addText(checksumsName, `${JSON.stringify(checksums, undefined, 2)}\n`);
    tar.finish();
  } finally {
    tar.close();
  }
}
