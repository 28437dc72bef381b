import type { MachineRecord } from "./shared-store.ts";

export type DatabaseHost =
  | { readonly kind: "primary" | "standby"; readonly name: string; readonly version: string }
  | { readonly kind: "away"; readonly name: string; readonly why: string };

/** What the primary says about itself and about the machines that use it. */
export interface PrimaryFacts {
  /** Format of the tables, and the one that this version writes. */
  readonly format: number;
  readonly knownFormat: number;
  /** Milliseconds since 1970, in the middle of the question. */
  readonly clock: { readonly database: number; readonly here: number };
  readonly synchronousCommit: string;
  readonly synchronousStandbys: string;
  /** Standbys that a commit waits for and that are connected; absent where this user may not know it. */
  readonly connectedStandbys: number | undefined;
  readonly hasChecksums: boolean;
  readonly connections: { readonly used: number; readonly most: number };
  /** Age of the oldest transaction that still sees deleted rows. */
  readonly oldestSnapshotSeconds: number | undefined;
  /** Age of the oldest batch that is filed and not counted; absent without one. */
  readonly oldestUncountedSeconds: number | undefined;
  readonly machines: readonly MachineRecord[];
}

export interface DatabaseInspection {
  readonly hosts: readonly DatabaseHost[];
  readonly primary: PrimaryFacts | undefined;
}

/** Asks the servers of an address about themselves and about the machines that use them. */
export async function inspectStoreDatabase(address: string): Promise<DatabaseInspection> {
  const { inspectDatabase } = await import("./postgres/inspect-database.ts");
  return inspectDatabase(address);
}
