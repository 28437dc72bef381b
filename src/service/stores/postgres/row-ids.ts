import type { Pool } from "./connect/connections.ts";

// As many at a time as some hundred batches need. 137 billion such blocks fit below 2^53.
export const idsPerBlock = 65_536;

/**
 * Row ids of one process, taken from the database in blocks. They are unique, and ordered within a process only:
 * nothing may take a larger one for a later row.
 */
export class RowIds {
  readonly #pool: Pool;
  #next = 0;
  #end = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Makes so many available, one after the other. */
  async reserve(count: number): Promise<void> {
    if (count > idsPerBlock) throw new Error(`A batch has more than ${idsPerBlock} rows.`);
    if (this.#end - this.#next >= count) return;
    const block = await this.#pool.one<{ n: number }>("SELECT nextval('holdfast.row_block') AS n");
    this.#next = (block?.n ?? 0) * idsPerBlock;
    this.#end = this.#next + idsPerBlock;
  }

  take(): number {
    if (this.#next >= this.#end) throw new Error("No row id was reserved.");
    this.#next += 1;
    return this.#next - 1;
  }
}
