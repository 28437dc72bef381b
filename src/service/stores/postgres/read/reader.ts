import type { Pool } from "../connect/connections.ts";
import type { Names } from "../names.ts";

/** What every question needs. */
export interface ReadDeps {
  readonly pool: Pool;
  readonly names: Names;
}
