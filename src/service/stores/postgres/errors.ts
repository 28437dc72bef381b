import { HoldfastError } from "#errors";

/** Made where they are thrown: a table of functions, as every part has one. */
export const postgresErrors: Readonly<{
  driverMissing: () => HoldfastError;
  addressNotUnderstood: (why: string) => HoldfastError;
  storeFromTheFuture: (version: number, known: number) => HoldfastError;
  notPrepared: (version: number, needed: number) => HoldfastError;
  noOwnBackup: () => HoldfastError;
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
      "Run `pg_dump --format=directory --schema=holdfast`, or use the archive that the database keeps.",
    ),
};
