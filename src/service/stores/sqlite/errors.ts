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
      `${file} does not exist or is empty: no service has filed anything in this data folder yet.`,
      "Check the name of the data folder, or start the service once.",
    ),
  fileDamaged: (file: string, why: string): HoldfastError =>
    new HoldfastError(
      "store-file-damaged",
      `${file} cannot be read as a database: ${why}.`,
      "Restore a backup into a new folder. A weekly file can also be moved away: its events are missing then, and everything else is there.",
    ),
  metaMissing: (file: string): HoldfastError =>
    new HoldfastError(
      "store-meta-missing",
      `${file} is missing, but weekly files that belong to it lie beside it.`,
      "Put it back, or restore a backup into a new folder. To start over, move the weekly files away.",
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
  moveTargetTaken: (folder: string): HoldfastError =>
    new HoldfastError(
      "move-target-not-empty",
      `There is a store in ${folder} already.`,
      "Name another data folder, or move that one away. Nothing has been changed.",
    ),
  otherMove: (folder: string, source: string): HoldfastError =>
    new HoldfastError(
      "move-of-another-store",
      `${folder} belongs to an unfinished move of another store (${source}).`,
      "Finish that move, or delete the folder to begin again. Nothing has been changed.",
    ),
  copyExists: (file: string): HoldfastError =>
    new HoldfastError("store-copy-exists", `${file} exists already.`, "Name a folder that does not exist yet."),
} as const;
