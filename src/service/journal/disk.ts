import {
  close,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  ftruncate,
  mkdirSync,
  open,
  openSync,
  readdirSync,
  readSync,
  unlink,
  write,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** File operations of the journal. Tests inject disks that fail, fill up or lose unsynced data. */
export interface Disk {
  /** Lists the names of the files. Creates the folder if it does not exist. */
  list(): readonly string[];
  /** Creates a new file, whose name survives a power cut. */
  create(name: string, writes: WriteMode): Promise<WritableFile>;
  /** Opens an existing file to append to it. */
  reopen(name: string, writes: WriteMode): Promise<WritableFile>;
  remove(name: string): Promise<void>;
  openToRead(name: string): ReadableFile;
}

/** `durable`: what is written survives a power cut. `buffered`: only after a sync, but readers find it at once. */
export type WriteMode = "durable" | "buffered";

export interface WritableFile {
  /** Writes all bytes or fails. */
  write(bytes: Uint8Array, at: number): Promise<void>;
  /** Resolves when everything survives a power cut that was written before the call. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface ReadableFile {
  size(): number;
  /** Returns the number of bytes read. */
  read(into: Uint8Array, at: number): number;
  close(): void;
}

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fsync);
const syncData = promisify(fdatasync);
const removeFile = promisify(unlink);
const truncateFile = promisify(ftruncate);

/** Only for the owner: envelopes may contain personal data. */
const ownerOnly = 0o600;

export function folderDisk(folder: string): Disk {
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  /** A new name is part of the folder, so the folder is synced. */
  async function syncFolder(): Promise<void> {
    const handle = await openFile(folder, constants.O_RDONLY);
    try {
      await syncFile(handle);
    } finally {
      await closeFile(handle);
    }
  }

  return {
    list: () => readdirSync(folder),
    async create(name, writes) {
      const file = writableFile(
        await openFile(join(folder, name), openFlags[writes] | constants.O_CREAT | constants.O_EXCL, ownerOnly),
      );
      try {
        await syncFolder();
        return file;
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    reopen: async (name, writes) => writableFile(await openFile(join(folder, name), openFlags[writes])),
    async remove(name) {
      await removeFile(join(folder, name));
    },
    openToRead: (name) => readableFile(openSync(join(folder, name), constants.O_RDONLY)),
  };
}

/** If every write is durable, one call for write and sync costs half of two: the larger part of an acknowledgement. */
const openFlags: Readonly<Record<WriteMode, number>> = {
  durable: constants.O_WRONLY | constants.O_DSYNC,
  buffered: constants.O_WRONLY,
};

/** Callbacks instead of file handles: with one write per acknowledgement, their lower cost is measurable. */
function writableFile(handle: number): WritableFile {
  return {
    write: (bytes, at) =>
      new Promise((resolve, reject) => {
        const writeFrom = (done: number): void => {
          write(handle, bytes, done, bytes.length - done, at + done, (error, written) => {
            if (error !== null) reject(error);
            else if (done + written === bytes.length) resolve();
            else writeFrom(done + written);
          });
        };
        writeFrom(0);
      }),
    sync: () => syncData(handle),
    truncate: async (size) => {
      await truncateFile(handle, size);
      await syncFile(handle);
    },
    close: () => closeFile(handle),
  };
}

function readableFile(handle: number): ReadableFile {
  return {
    size: () => fstatSync(handle).size,
    read: (into, at) => readSync(handle, into, 0, into.length, at),
    close: () => closeSync(handle),
  };
}
