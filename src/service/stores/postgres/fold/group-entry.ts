import type { GroupSums } from "../../batch-sums.ts";

export type GroupEntry = readonly [id: number, sums: GroupSums];

export interface KnownGroup {
  id: number;
  texts: number;
  events: number;
  visitors: number;
  registers: Buffer | null;
}
