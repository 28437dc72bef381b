import { bodyInBlock, writeBlock } from "../../bodies/body-block.ts";
import { Dictionary } from "../../bodies/dictionary.ts";
import { pack, unpack } from "../../bodies/packing.ts";
import type { StoredJson } from "../../filed.ts";
import type { Queries } from "../connect/connections.ts";

interface BlockRow {
  id: number;
  refs: number[];
  packed: Uint8Array;
}

const columns = "SELECT id, refs, packed FROM holdfast.body_block";

/** Empties these places. The others of their blocks are compressed again, and stay where they are. */
export async function blank(
  queries: Queries,
  part: number,
  places: readonly { block: number | null; slot: number | null }[],
): Promise<void> {
  const slots = Map.groupBy(
    places.flatMap(({ block, slot }) => (block === null || slot === null ? [] : [{ block, slot }])),
    ({ block }) => block,
  );
  if (slots.size === 0) return;
  const rows = await queries.all<BlockRow>(`${columns} WHERE part = $1 AND id = ANY ($2::bigint[])`, part, [
    ...slots.keys(),
  ]);
  for (const row of rows) {
    const blanks = new Set(slots.get(row.id)?.map(({ slot }) => slot));
    await rewrite(queries, { part, row }, { isKept: (slot) => !blanks.has(slot), isUsed: () => true });
  }
}

/** Compresses blocks again without these references. Returns whether no block needs them any more. */
export async function freeOfReferences(
  queries: Queries,
  part: number,
  references: readonly number[],
  atMost: number,
): Promise<boolean> {
  if (references.length === 0) return true;
  const rows = await queries.all<BlockRow>(
    `${columns} WHERE part = $1 AND refs && $2::bigint[] LIMIT $3`,
    part,
    references,
    atMost,
  );
  const dropped = new Set(references);
  for (const row of rows)
    await rewrite(queries, { part, row }, { isKept: () => true, isUsed: (reference) => !dropped.has(reference) });
  return rows.length < atMost;
}

async function rewrite(
  queries: Queries,
  { part, row }: { part: number; row: BlockRow },
  { isKept, isUsed }: { isKept: (slot: number) => boolean; isUsed: (reference: number) => boolean },
): Promise<void> {
  const references = await referencesOf(queries, part, row.refs);
  const content = unpack(row.packed, dictionaryOf(row.refs, references));
  const bodies = content === undefined ? [] : bodiesIn(content, isKept);
  // A damaged block cannot be read by anyone. It goes as a whole.
  if (bodies.every(({ bytes }) => bytes.length === 0)) {
    await queries.run("DELETE FROM holdfast.body_block WHERE part = $1 AND id = $2", part, row.id);
    return;
  }
  const refs = row.refs.filter(isUsed);
  await queries.run(
    "UPDATE holdfast.body_block SET refs = $3::bigint[], packed = $4 WHERE part = $1 AND id = $2",
    part,
    row.id,
    refs,
    pack(writeBlock(bodies), dictionaryOf(refs, references)),
  );
}

function bodiesIn(content: Buffer, isKept: (slot: number) => boolean): StoredJson[] {
  const bodies: StoredJson[] = [];
  for (let slot = 0; ; slot += 1) {
    const body = bodyInBlock(content, slot);
    if (body === undefined) return bodies;
    bodies.push(isKept(slot) ? body : { ...body, bytes: Buffer.alloc(0) });
  }
}

function dictionaryOf(refs: readonly number[], references: ReadonlyMap<number, Buffer>): Buffer | undefined {
  const dictionary = new Dictionary();
  for (const ref of refs) {
    const body = references.get(ref);
    if (body !== undefined) dictionary.add(body);
  }
  return dictionary.content;
}

export async function referencesOf(
  queries: Queries,
  part: number,
  refs: readonly number[],
): Promise<ReadonlyMap<number, Buffer>> {
  const rows = await queries.all<{ id: number; packed: Uint8Array }>(
    "SELECT id, packed FROM holdfast.body_reference WHERE part = $1 AND id = ANY ($2::bigint[])",
    part,
    refs,
  );
  return new Map(
    rows.flatMap(({ id, packed }) => {
      const body = unpack(packed);
      return body === undefined ? [] : [[id, body] as const];
    }),
  );
}
