import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "#errors";
import { serviceErrors } from "../errors.ts";

/** Where a service stores what it has filed. */
export type StoreAddress =
  | { readonly kind: "folder"; readonly folder: string }
  /** `writer` names the data folder whose journal is filed: the database has one position for each. */
  | { readonly kind: "postgres"; readonly address: string; readonly writer: string };

/** `stated` is the setting: nothing for SQLite in the data folder, or the address of a database. */
export function storeAddressOf(
  dataFolder: string,
  stated: string | undefined = process.env.HOLDFAST_STORE,
  writerIn: (dataFolder: string) => string = writerOf,
): StoreAddress {
  const address = databaseOf(stated);
  if (address === undefined) return { kind: "folder", folder: join(dataFolder, "store") };
  return { kind: "postgres", address, writer: writerIn(dataFolder) };
}

/** Reads the setting of the environment. Undefined: SQLite. */
export function readStore({ HOLDFAST_STORE: stated }: NodeJS.ProcessEnv): string | undefined {
  return databaseOf(stated);
}

function databaseOf(stated: string | undefined): string | undefined {
  if (stated === undefined || stated === "") return undefined;
  if (!isDatabaseAddress(stated)) throw serviceErrors.unknownStore(withoutPassword(stated));
  return stated;
}

/**
 * The same for who only reads. Makes no file: a command may run as another user than the service, who could not read
 * its name then.
 */
export function addressToRead(dataFolder: string, stated?: string): StoreAddress {
  return storeAddressOf(dataFolder, stated, knownWriter);
}

export function isDatabaseAddress(text: string | undefined): text is string {
  return text !== undefined && /^postgres(?:ql)?:\/\//.test(text);
}

/** For logs and errors. */
export function withoutPassword(address: string): string {
  return address.replace(/(:\/\/[^/:@]*):[^/@]*@/, "$1:…@");
}

/** A folder without a name has filed nothing. */
const noWriter = "00000000-0000-0000-0000-000000000000";

function knownWriter(dataFolder: string): string {
  return existsSync(join(dataFolder, "writer")) ? writerOf(dataFolder) : noWriter;
}

/** Created once: a folder that changed its name in the database would file its journal again. */
function writerOf(dataFolder: string): string {
  const file = join(dataFolder, "writer");
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomUUID(), { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  const writer = readFileSync(file, "utf8").trim();
  if (!/^[0-9a-f-]{36}$/.test(writer)) throw serviceErrors.unreadableWriter(file);
  return writer;
}
