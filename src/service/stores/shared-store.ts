import type { StoreAddress } from "./store-address.ts";

/** Browser files of the newest builds of an application, for the machines that have another build on their disk. */
export interface SharedBrowserFiles {
  /** Stores a build unless it is there. `files` is called only if it is not. Older builds are deleted. */
  addBuild(build: BuildName, files: () => AsyncIterable<BrowserFileContent>): Promise<"added" | "known">;
  /** Builds of the application, the last started first. */
  builds(application: string): Promise<readonly string[]>;
  filesOf(build: BuildName): Promise<readonly SharedBrowserFile[]>;
  /** Bytes of a file in one encoding; undefined if the build was deleted meanwhile. */
  content(file: FileName): Promise<Uint8Array | undefined>;
}

export interface BuildName {
  readonly application: string;
  readonly build: string;
}

export interface FileName {
  readonly application: string;
  /** SHA-256 of the file without encoding, as hexadecimal digits. */
  readonly hash: string;
  /** `identity`, or the name of a content encoding. */
  readonly encoding: string;
}

export interface SharedBrowserFile {
  /** Address, `/_assets/entry-Bll2g0jF.js`. */
  readonly path: string;
  readonly type: string;
  readonly hash: string;
  /** Bytes without encoding. */
  readonly bytes: number;
  /** Precompressed encodings, smallest first. */
  readonly encodings: readonly string[];
}

export interface BrowserFileContent extends SharedBrowserFile {
  /** By encoding, `identity` included. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** What a process writes about itself, so that `holdfast doctor` can compare the machines. */
export interface MachineNote {
  readonly host: string;
  readonly kind: "application" | "service";
  readonly version: string;
  readonly build?: string | undefined;
  /** Hash of `HOLDFAST_SECRET`; absent where it is not set. */
  readonly secret?: string | undefined;
}

export interface MachineRecord extends MachineNote {
  /** Names the data folder. */
  readonly writer: string;
  /** Age of the note, by the database's clock. */
  readonly seenSecondsAgo: number;
}

/** What machines with one database share beside the reports. */
export interface SharedStore {
  readonly browserFiles: SharedBrowserFiles;
  /** Replaces the note of this data folder. Notes that were not renewed for a week are deleted. */
  note(note: MachineNote): Promise<void>;
  machines(): Promise<readonly MachineRecord[]>;
  close(): Promise<void>;
}

/** Connects when it is used first. Returns undefined without a database: then one machine has everything. */
export async function openSharedStore(at: StoreAddress): Promise<SharedStore | undefined> {
  if (at.kind === "folder") return undefined;
  const { openPostgresSharedStore } = await import("./postgres/shared/open-shared-store.ts");
  return openPostgresSharedStore(at);
}
