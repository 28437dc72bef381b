import type { Database } from "../database.ts";

/** A block of bodies as it is stored: the groups whose references form its dictionary, and its compressed bytes. */
export interface PackedBlock {
  readonly groups: readonly number[];
  readonly packed: Uint8Array;
}

/** A row of `body_block`, as `SELECT *` returns it. */
export interface BlockRow {
  /** The number of its first block. */
  readonly id: number;
  /** Groups of all its blocks, as JSON. */
  readonly groups: string;
  readonly packed: Uint8Array;
  /** For each block its bytes and the number of its groups, as JSON. Null if there is one block. */
  readonly blocks: string | null;
}

/**
 * A block has 3 kB, so a page of 8 KiB would hold two and leave a fifth of it empty. The end of a longer row is in
 * pages of its own, which are full: with 16 KiB, a fortieth is empty. Reading one block reads its row: with 48 KiB, an
 * event took a sixth more processor time to open.
 */
const bytesPerRow = 16_384;

/** Numbered blocks. The blocks of a batch share rows, and each is read and replaced alone. */
export class BlockRows {
  readonly #database: Database;
  #last: number | undefined;
  /** The row that was read last: a reader of a whole week asks for its blocks in their order. */
  #row: { readonly id: number; readonly blocks: readonly PackedBlock[] } | undefined;
  #pending: PackedBlock[] = [];
  #pendingBytes = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The number of the next block that is added. */
  get next(): number {
    this.#last ??= this.lastStored();
    return this.#last + 1;
  }

  lastStored(): number {
    const row = this.#database.one<{ id: number; blocks: string | null }>(
      "SELECT id, blocks FROM body_block ORDER BY id DESC LIMIT 1",
    );
    return row === undefined ? 0 : Math.max(0, row.id + countOf(row.blocks) - 1);
  }

  /** Returns the number of the block. It is written with the next ones, at the latest by `finish`. */
  add(block: PackedBlock): number {
    const number = this.next;
    this.#last = number;
    this.#pending.push(block);
    this.#pendingBytes += block.packed.length;
    if (this.#pendingBytes >= bytesPerRow) this.finish();
    return number;
  }

  finish(): void {
    if (this.#pending.length === 0) return;
    const row = rowOf(this.next - this.#pending.length, this.#pending);
    this.#database.run("INSERT INTO body_block VALUES (?, ?, ?, ?)", row.id, row.groups, row.packed, row.blocks);
    this.#forgetPending();
  }

  read(number: number): PackedBlock | undefined {
    const row = this.#row;
    if (row === undefined || number < row.id || number >= row.id + row.blocks.length) this.#row = this.#rowWith(number);
    const block = this.#row?.blocks[number - this.#row.id];
    return block?.packed.length === 0 ? undefined : block;
  }

  /** Without a new block, its place stays empty. A row of empty blocks is deleted. */
  replace(number: number, block: PackedBlock | undefined): void {
    const row = this.#rowWith(number);
    this.forgetRow();
    if (row === undefined) return;
    const blocks = row.blocks.with(number - row.id, block ?? { groups: [], packed: new Uint8Array() });
    if (blocks.every(({ packed }) => packed.length === 0)) {
      this.#database.run("DELETE FROM body_block WHERE id = ?", row.id);
      return;
    }
    const made = rowOf(row.id, blocks);
    this.#database.run(
      "UPDATE body_block SET groups = ?, packed = ?, blocks = ? WHERE id = ?",
      made.groups,
      made.packed,
      made.blocks,
      row.id,
    );
  }

  #rowWith(number: number): { readonly id: number; readonly blocks: readonly PackedBlock[] } | undefined {
    const row = this.#database.one<BlockRow>(
      "SELECT id, groups, packed, blocks FROM body_block WHERE id <= ? ORDER BY id DESC LIMIT 1",
      number,
    );
    const blocks = row === undefined ? [] : blocksIn(row);
    return row !== undefined && number < row.id + blocks.length ? { id: row.id, blocks } : undefined;
  }

  /** Returns the numbers of some blocks whose dictionary has one of these groups. */
  withGroups(groups: ReadonlySet<number>, atMost: number): number[] {
    const found: number[] = [];
    const rows = this.#database.iterate<BlockRow>(
      `SELECT * FROM body_block WHERE groups <> '[]' AND EXISTS (
         SELECT 1 FROM json_each(groups) AS named JOIN json_each(?) AS wanted ON named.value = wanted.value)`,
      JSON.stringify([...groups]),
    );
    for (const row of rows) {
      for (const [at, block] of blocksIn(row).entries())
        if (block.groups.some((group) => groups.has(group))) found.push(row.id + at);
      if (found.length >= atMost) break;
    }
    return found.slice(0, atMost);
  }

  deleteAfter(number: number): void {
    this.#database.run("DELETE FROM body_block WHERE id > ?", number);
    this.forget();
  }

  /** A row stays while one of its blocks does. */
  deleteBefore(number: number): void {
    this.#database.run(
      "DELETE FROM body_block WHERE id < coalesce((SELECT max(id) FROM body_block WHERE id <= ?1), ?1)",
      number,
    );
    this.forgetRow();
  }

  /** After a rollback, or when the week is closed. */
  forget(): void {
    this.#last = undefined;
    this.forgetRow();
    this.#forgetPending();
  }

  /** An erasure in another process may have replaced it. */
  forgetRow(): void {
    this.#row = undefined;
  }

  #forgetPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

function countOf(blocks: string | null): number {
  return blocks === null ? 1 : Math.max(1, numbersIn(blocks).length >> 1);
}

function rowOf(id: number, blocks: readonly PackedBlock[]): BlockRow {
  const groups = JSON.stringify(blocks.flatMap((block) => block.groups));
  const [only] = blocks;
  if (only !== undefined && blocks.length === 1) return { id, groups, packed: only.packed, blocks: null };
  const sizes = blocks.flatMap((block) => [block.packed.length, block.groups.length]);
  return {
    id,
    groups,
    packed: Buffer.concat(blocks.map(({ packed }) => packed)),
    blocks: JSON.stringify(sizes),
  };
}

/** Returns the blocks of a row in their order. */
export function blocksIn({ groups: text, packed, blocks: list }: BlockRow): readonly PackedBlock[] {
  const groups = numbersIn(text);
  if (list === null) return [{ groups, packed }];
  const sizes = numbersIn(list);
  const found: PackedBlock[] = [];
  let [from, fromGroup] = [0, 0];
  for (let at = 0; at + 1 < sizes.length; at += 2) {
    const until = from + (sizes[at] ?? 0);
    const untilGroup = fromGroup + (sizes[at + 1] ?? 0);
    found.push({ groups: groups.slice(fromGroup, untilGroup), packed: packed.subarray(from, until) });
    [from, fromGroup] = [until, untilGroup];
  }
  return found;
}

/** This store has written it. If the disk has corrupted it, the body's checksum fails. */
function numbersIn(text: string): readonly number[] {
  try {
    const numbers: unknown = JSON.parse(text);
    return Array.isArray(numbers) ? numbers : [];
  } catch {
    return [];
  }
}
