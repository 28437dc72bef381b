import {
  close,
  closeSync,
  constants,
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

/** The few things a journal asks of a disk. Tests put disks in its place that fail, fill up or forget. */
export interface Disk {
  /** Names of the files in the folder; makes the folder if it is not there. */
  list(): readonly string[];
  /** Makes a file that must not exist yet, and makes its name survive a power cut. */
  create(name: string): Promise<WritableFile>;
  /** Opens a file that is there, to go on writing at its end. */
  reopen(name: string): Promise<WritableFile>;
  remove(name: string): Promise<void>;
  openToRead(name: string): ReadableFile;
}

export interface WritableFile {
  /** Writes all of it or fails; returns when it survives a power cut. */
  writeDurably(bytes: Uint8Array, at: number): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface ReadableFile {
  size(): number;
  /** How many bytes were there to be read. */
  read(into: Uint8Array, at: number): number;
  close(): void;
}

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fsync);
const removeFile = promisify(unlink);
const truncateFile = promisify(ftruncate);

/** Readable by the owner alone: envelopes may hold personal data. */
const ownerOnly = 0o600;

export function folderDisk(folder: string): Disk {
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  /** A new name lies in the folder, so the folder is what has to be written down. */
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
    async create(name) {
      const file = writableFile(
        await openFile(join(folder, name), durably | constants.O_CREAT | constants.O_EXCL, ownerOnly),
      );
      try {
        await syncFolder();
        return file;
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    reopen: async (name) => writableFile(await openFile(join(folder, name), durably)),
    async remove(name) {
      await removeFile(join(folder, name));
    },
    openToRead: (name) => readableFile(openSync(join(folder, name), constants.O_RDONLY)),
  };
}

/**
 * Every write is a durable one: one call for write and sync costs half of two, which is the larger part of an
 * acknowledgement.
 */
const durably = constants.O_WRONLY | constants.O_DSYNC;

/** Callbacks rather than file handles: at one write per acknowledgement their lighter weight can be measured. */
function writableFile(handle: number): WritableFile {
  return {
    writeDurably: (bytes, at) =>
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
