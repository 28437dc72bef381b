import { bodyInBlock } from "../../bodies/body-block.ts";
import { Dictionary } from "../../bodies/dictionary.ts";
import { unpack } from "../../bodies/packing.ts";
import type { StoredJson } from "../../filed.ts";
import type { Queries } from "../connect/connections.ts";

/** Where a body lies; without a block, only the row was kept. */
export interface BodyLocation {
  readonly part: number;
  readonly block: number | null;
  readonly slot: number | null;
}

export type StoredBody = { kind: "whole"; body: StoredJson } | { kind: "absent" } | { kind: "damaged" };

/** The bodies of some rows, each block unpacked once. */
export async function readBodies(
  queries: Queries,
  locations: readonly BodyLocation[],
): Promise<(location: BodyLocation) => StoredBody> {
  const blocks = await readBlocks(queries, locations);
  return ({ part, block, slot }) => {
    if (block === null || slot === null) return { kind: "absent" };
    const content = blocks.get(`${part} ${block}`);
    const body = content && bodyInBlock(content, slot);
    return body === undefined ? { kind: "damaged" } : { kind: "whole", body };
  };
}

async function readBlocks(queries: Queries, locations: readonly BodyLocation[]): Promise<ReadonlyMap<string, Buffer>> {
  const wanted = new Map(
    locations.flatMap((location) => (location.block === null ? [] : [[keyOf(location), location] as const])),
  );
  if (wanted.size === 0) return new Map();
  const rows = await queries.all<{ part: number; id: number; refs: number[]; packed: Uint8Array }>(
    `SELECT b.part, b.id, b.refs, b.packed FROM unnest($1::int[], $2::bigint[]) AS u (part, id)
     JOIN holdfast.body_block b ON b.part = u.part AND b.id = u.id`,
    [...wanted.values()].map(({ part }) => part),
    [...wanted.values()].map(({ block }) => block),
  );
  const references = await readReferences(
    queries,
    rows.flatMap(({ part, refs }) => refs.map((id) => ({ part, id }))),
  );
  const blocks = new Map<string, Buffer>();
  const dictionary = new Dictionary();
  for (const { part, id, refs, packed } of rows) {
    const bodies = refs.map((ref) => references.get(`${part} ${ref}`));
    if (bodies.includes(undefined)) continue;
    dictionary.clear();
    for (const body of bodies) if (body !== undefined) dictionary.add(body);
    const content = unpack(packed, dictionary.content);
    if (content !== undefined) blocks.set(`${part} ${id}`, content);
  }
  return blocks;
}

function keyOf({ part, block }: BodyLocation): string {
  return `${part} ${block}`;
}

async function readReferences(
  queries: Queries,
  wanted: readonly { part: number; id: number }[],
): Promise<ReadonlyMap<string, Buffer>> {
  if (wanted.length === 0) return new Map();
  const rows = await queries.all<{ part: number; id: number; packed: Uint8Array }>(
    `SELECT r.part, r.id, r.packed FROM (SELECT DISTINCT * FROM unnest($1::int[], $2::bigint[])) AS u (part, id)
     JOIN holdfast.body_reference r ON r.part = u.part AND r.id = u.id`,
    wanted.map(({ part }) => part),
    wanted.map(({ id }) => id),
  );
  return new Map(
    rows.flatMap(({ part, id, packed }) => {
      const body = unpack(packed);
      return body === undefined ? [] : [[`${part} ${id}`, body] as const];
    }),
  );
}
