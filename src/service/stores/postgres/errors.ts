import { HoldfastError } from "#errors";

/** Made where they are thrown: a table of functions, as every part has one. */
export const postgresErrors: Readonly<{
  driverMissing: () => HoldfastError;
  addressNotUnderstood: (why: string) => HoldfastError;
  storeFromTheFuture: (version: number, known: number) => HoldfastError;
  notPrepared: (version: number, needed: number) => HoldfastError;
  noOwnBackup: () => HoldfastError;
  moveUnfinished: () => HoldfastError;
  moveTargetTaken: () => HoldfastError;
  otherMove: (source: string) => HoldfastError;
}> = {
  driverMissing: () =>
    new HoldfastError(
      "store-driver-missing",
      "The store is PostgreSQL, and the package `pg` is not installed.",
      "Run `npm install pg` in the application.",
    ),
  addressNotUnderstood: (why) =>
    new HoldfastError(
      "store-address-not-understood",
      `The address of the store cannot be used: ${why}.`,
      "Write postgres://user:password@host1:5432,host2:5432/database.",
    ),
  storeFromTheFuture: (version, known) =>
    new HoldfastError(
      "database-from-newer-version",
      `The database was written by a newer version: its format is ${version}, this one knows up to ${known}.`,
      "Start the newer version, or restore a backup made before the update.",
    ),
  notPrepared: (version, needed) =>
    new HoldfastError(
      "database-from-older-version",
      `The database has format ${version}; this version reads ${needed}.`,
      "Start the service once; it brings the database up to date.",
    ),
  noOwnBackup: () =>
    new HoldfastError(
      "store-has-its-own-backup",
      "A PostgreSQL store is not copied into a folder.",
      "Run `pg_dump`, as the guide of many machines has it, or use the archive that the database keeps.",
    ),
  moveUnfinished: () =>
    new HoldfastError(
      "store-being-moved",
      "The database is the target of a move that is not finished.",
      "Run the same `holdfast move` again; it continues. To give the move up, drop the schema `holdfast`.",
    ),
  moveTargetTaken: () =>
    new HoldfastError(
      "move-database-not-empty",
      "There is a store in the database already.",
      "Name an empty database, or drop the schema `holdfast` if it is not needed. Nothing has been changed.",
    ),
  otherMove: (source) =>
    new HoldfastError(
      "move-into-database-of-another",
      `The database belongs to an unfinished move of another store (${source}).`,
      "Finish that move, or drop the schema `holdfast` to begin again. Nothing has been changed.",
    ),
};
