import type { AppendListener } from "./acknowledge/append-outcome.ts";

/** Records that are written together, with their listeners. */
export interface RecordGroup {
  buffer: Buffer;
  bytes: number;
  /** End of each record in the buffer. */
  readonly ends: number[];
  readonly listeners: AppendListener[];
  /** When the first record arrived. Monotonic clock. */
  arrivedMs: number;
}

export function newGroup(buffer: Buffer): RecordGroup {
  return { buffer, bytes: 0, ends: [], listeners: [], arrivedMs: 0 };
}

export function makeRoom(group: RecordGroup, size: number): void {
  const needed = group.bytes + size;
  if (needed <= group.buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(needed, group.buffer.length * 2));
  larger.set(group.buffer.subarray(0, group.bytes));
  group.buffer = larger;
}
