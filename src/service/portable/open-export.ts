import { openReader } from "../open-reader.ts";
import type { MoveReader } from "../stores/moved-rows.ts";
import { openSqliteMoveSource } from "../stores/sqlite/move/sqlite-move-source.ts";
import { addressToRead } from "../stores/store-address.ts";
import { type ExportSource, exportProject } from "./export-project.ts";
import { type PortableLimits, portableLimits } from "./limits.ts";

export interface ExportOptions {
  readonly dataFolder: string;
  readonly store?: string | undefined;
  readonly project: ExportSource["project"];
  /** Of a line of kind `cursor`. */
  readonly after?: string | undefined;
  readonly now: () => number;
  readonly limits?: PortableLimits;
}

/** Exports a project from the store of a data folder, in which a service may be filing. */
export async function openExport(options: ExportOptions): Promise<AsyncIterable<string>> {
  const { dataFolder, project, after, now, limits = portableLimits } = options;
  const store = await openReader(dataFolder, options.store);
  let rows: MoveReader | undefined;
  const close = async (): Promise<void> => {
    store.close();
    await rows?.close();
  };
  try {
    rows = await openRows(dataFolder, options.store);
    return closing(exportProject({ project, store, rows, now, limits }, after), close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function openRows(dataFolder: string, stated: string | undefined): Promise<MoveReader> {
  const address = addressToRead(dataFolder, stated);
  if (address.kind === "folder") return openSqliteMoveSource(address.folder, "");
  const { openPostgresMoveSource } = await import("../stores/postgres/move/postgres-move-source.ts");
  return openPostgresMoveSource(address.address);
}

/** Closes the store also if the reader of the lines stops early. */
async function* closing(lines: AsyncIterable<string>, close: () => Promise<void>): AsyncGenerator<string> {
  try {
    yield* lines;
  } finally {
    await close();
  }
}
