import type { StoreLimits } from "../../limits.ts";
import type { RecentlySeen } from "../../recently-seen.ts";
import type { Pool, Queries } from "../connect/connections.ts";
import type { HealthRecord } from "../connect/health.ts";
import type { Names } from "../names.ts";

export interface FoldDeps {
  readonly pool: Pool;
  readonly names: Names;
  readonly recentTexts: RecentlySeen;
  readonly limits: StoreLimits;
  readonly health: HealthRecord;
}

export interface Folded {
  /** Ids of the folded batches. */
  readonly ids: readonly number[];
  readonly newIssues: readonly number[];
  readonly regressedIssues: readonly number[];
}

export const nothingFolded: Folded = { ids: [], newIssues: [], regressedIssues: [] };

/** A fold in its transaction. */
export interface OpenFold extends Omit<FoldDeps, "pool" | "health"> {
  readonly queries: Queries;
  readonly project: number;
}
