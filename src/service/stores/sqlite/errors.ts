import { HoldfastError } from "#errors";

export const sqliteErrors = {
  fileFromTheFuture: (file: string, version: number, known: number): HoldfastError =>
    new HoldfastError(
      "store-from-newer-version",
      `${file} was written by a newer version: its format is ${version}, this one knows up to ${known}.`,
      "Start the newer version, or restore a backup made before the update.",
    ),
  backupExists: (file: string): HoldfastError =>
    new HoldfastError("backup-exists", `${file} exists already.`, "Name a file that does not exist yet."),
} as const;
