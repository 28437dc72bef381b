import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serviceErrors } from "../errors.ts";
import { lockFolder } from "../journal/folder-lock.ts";
import { inspectJournal } from "../journal/inspect-journal.ts";
import type { MoveEnd, MoveReader, MoveTarget } from "../stores/moved-rows.ts";
import { openStore, openStoreReader } from "../stores/open-store.ts";
import { openSqliteMoveSource } from "../stores/sqlite/move/sqlite-move-source.ts";
import { openSqliteMoveTarget } from "../stores/sqlite/move/sqlite-move-target.ts";
import type { StoreReader } from "../stores/store.ts";
import { storeAddressOf } from "../stores/store-address.ts";
import { copySharedToDatabase, copySharedToFolder } from "./copy-shared.ts";

/** The two stores of a move, one in a data folder and one in PostgreSQL. */
export interface MoveEnds {
  readonly source: MoveReader;
  readonly target: MoveTarget;
  /**
   * Makes sure that nothing is filed any more, until `release`. Undefined as long as a service runs.
   */
  stop(): Promise<{ release(): void } | undefined>;
  /** Changes when the source does. */
  progress(): Promise<string>;
  /** Both for the comparison of answers. */
  openReaders(): Promise<{ source: StoreReader; target: StoreReader }>;
  copyShared(): Promise<void>;
  end(): Promise<MoveEnd>;
}

export interface MoveAddresses {
  readonly dataFolder: string;
  /** `postgres://…` */
  readonly address: string;
}

export async function openMoveToDatabase({ dataFolder, address }: MoveAddresses): Promise<MoveEnds> {
  const folder = join(dataFolder, "store");
  const { openPostgresMoveTarget } = await import("../stores/postgres/move/postgres-move-target.ts");
  const { openPostgresRows } = await import("../stores/postgres/move/open-postgres-rows.ts");
  // Refuses a folder without a store before anything is made in it.
  (await openStoreReader({ kind: "folder", folder })).close();
  const to = storeAddressOf(dataFolder, address);
  const writer = to.kind === "postgres" ? to.writer : "";
  const source = openSqliteMoveSource(folder, writer);
  const target = await openPostgresMoveTarget(address).catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  return {
    source,
    target,
    stop: async () => tryLock(dataFolder),
    progress: async () => String(source.position()),
    openReaders: async () => ({
      source: await openStoreReader({ kind: "folder", folder }),
      target: await openStoreReader(to),
    }),
    async copyShared() {
      const rows = await openPostgresRows(address);
      await copySharedToDatabase(dataFolder, rows).finally(() => rows.close());
    },
    end: async () => ({
      idsEnd: await source.idsEnd(),
      journal: { writer, position: source.position() },
    }),
  };
}

/** `isStopped` is the word of the operator: no process can see all services of a database. */
export async function openMoveToFolder({ dataFolder, address }: MoveAddresses, isStopped: boolean): Promise<MoveEnds> {
  const folder = join(dataFolder, "store");
  const { openPostgresMoveSource } = await import("../stores/postgres/move/postgres-move-source.ts");
  const { openPostgresRows } = await import("../stores/postgres/move/open-postgres-rows.ts");
  const source = await openPostgresMoveSource(address);
  const from = { kind: "postgres", address, writer: "" } as const;
  try {
    const target = openSqliteMoveTarget(folder);
    return {
      source,
      target,
      async stop() {
        const lock = isStopped ? tryLock(dataFolder) : undefined;
        if (lock === undefined) return undefined;
        await refuseUnfiled(dataFolder, (writer) => source.position(writer));
        const store = await openStore(from);
        await store.settled();
        store.close();
        return lock;
      },
      progress: () => source.progress(),
      openReaders: async () => ({
        source: await openStoreReader(from),
        target: await openStoreReader({ kind: "folder", folder: target.unfinished }),
      }),
      async copyShared() {
        const rows = await openPostgresRows(address);
        await copySharedToFolder(rows, dataFolder).finally(() => rows.close());
      },
      end: async () => ({ idsEnd: Math.max(await source.idsEnd(), journalEnd(dataFolder)), journal: undefined }),
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

function tryLock(dataFolder: string): { release(): void } | undefined {
  try {
    return lockFolder(dataFolder);
  } catch (error) {
    if (error instanceof Error && error.message.includes("[service-folder-in-use]")) return undefined;
    throw error;
  }
}

function journalEnd(dataFolder: string): number {
  return inspectJournal(join(dataFolder, "journal")).end;
}

/** Reports in the journal of the folder that the database does not have would be lost: positions restart. */
async function refuseUnfiled(dataFolder: string, positionOf: (writer: string) => Promise<number>): Promise<void> {
  const file = join(dataFolder, "writer");
  const end = journalEnd(dataFolder);
  if (end === 0) return;
  const position = existsSync(file) ? await positionOf(readFileSync(file, "utf8").trim()) : 0;
  if (position < end) throw serviceErrors.moveUnfiled(dataFolder);
}
