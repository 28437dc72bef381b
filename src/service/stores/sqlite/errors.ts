import { HoldfastError } from "#errors";

export const sqliteErrors = {
  fileFromTheFuture: (file: string, version: number, known: number): HoldfastError =>
    new HoldfastError(
      "store-from-newer-version",
      `${file} was written by a newer version: its format is ${version}, this one knows up to ${known}.`,
      "Start the newer version, or restore a backup made before the update.",
    ),
  nothingFiledYet: (file: string): HoldfastError =>
    new HoldfastError(
      "store-not-there",
      `There is no ${file}: no service has filed anything in this data folder yet.`,
      "Check the name of the data folder, or start the service once.",
    ),
  fileDamaged: (file: string, why: string): HoldfastError =>
    new HoldfastError(
      "store-file-damaged",
      `${file} cannot be read as a database: ${why}.`,
      "Stop the service and restore a backup, or move this file away: then what it holds is missing, and the rest is there.",
    ),
  fileFromThePast: (file: string, version: number, needed: number): HoldfastError =>
    new HoldfastError(
      "store-from-older-version",
      `${file} was written by an older version: its format is ${version}, this one reads ${needed}.`,
      "Start the service once; it brings its files up to date.",
    ),
  fileNotInPlace: (file: string): HoldfastError =>
    new HoldfastError(
      "store-file-not-in-place",
      `${file} was moved, deleted or replaced while the service had it open.`,
      "Put it back; until then nothing is taken out of the journal. If it is gone for good, stop the service and restore a backup.",
    ),
  copyExists: (file: string): HoldfastError =>
    new HoldfastError("store-copy-exists", `${file} exists already.`, "Name a folder that does not exist yet."),
} as const;
