import { endOfBlock, writeBlock } from "../../bodies/body-block.ts";
import { Dictionary } from "../../bodies/dictionary.ts";
import { pack } from "../../bodies/packing.ts";
import type { StoredJson } from "../../filed.ts";
import type { BatchRows } from "../batch-columns.ts";
import { keyOf, type Reference } from "../references.ts";
import type { RowIds } from "../row-ids.ts";

/** A body, and of which part and group it is. Spans have no group. */
export interface NewBody {
  readonly body: StoredJson;
  readonly part: number;
  readonly group: number | undefined;
}

/** Where a body lies: its block, and which of the block's bodies it is. */
export interface BodySlot {
  readonly block: number;
  readonly slot: number;
}

export interface PackedBodies {
  readonly slots: ReadonlyMap<NewBody, BodySlot>;
  readonly newReferences: readonly { part: number; group: number; reference: Reference }[];
}

/**
 * Packs what came together into blocks, like beside like. The first body of a group is the dictionary for all that
 * follow in its part.
 */
export function packBodies(
  bodies: readonly NewBody[],
  known: Map<string, Reference>,
  rows: BatchRows,
  ids: RowIds,
): PackedBodies {
  const slots = new Map<NewBody, BodySlot>();
  const newReferences: { part: number; group: number; reference: Reference }[] = [];
  const dictionary = new Dictionary();
  const referenceFor = ({ part, group, body }: NewBody): Reference | undefined => {
    if (group === undefined) return undefined;
    const found = known.get(keyOf(part, group));
    if (found !== undefined) return found;
    const reference = { id: ids.take(), body: Buffer.from(body.bytes) };
    known.set(keyOf(part, group), reference);
    newReferences.push({ part, group, reference });
    rows.body_reference.push({ id: reference.id, grp: group, part, packed: pack(body.bytes) });
    return reference;
  };
  const addBlock = (block: readonly NewBody[], part: number): void => {
    const refs = new Set<number>();
    dictionary.clear();
    for (const body of block) {
      const reference = referenceFor(body);
      if (reference === undefined || refs.has(reference.id)) continue;
      refs.add(reference.id);
      dictionary.add(reference.body);
    }
    const id = ids.take();
    const packed = pack(writeBlock(block.map(({ body }) => body)), dictionary.content);
    rows.body_block.push({ id, part, refs: `{${[...refs].join(",")}}`, packed });
    for (const [slot, body] of block.entries()) slots.set(body, { block: id, slot });
  };
  for (const alike of kindsOf(bodies)) {
    for (let from = 0; from < alike.length; ) {
      const until = endOfBlock(alike, from);
      addBlock(alike.slice(from, until), alike[from]?.part ?? 0);
      from = until;
    }
  }
  return { slots, newReferences };
}

/** A block lies in one part, and has either events or spans. */
function kindsOf(bodies: readonly NewBody[]): readonly (readonly NewBody[])[] {
  const kinds = Map.groupBy(bodies, ({ part, group }) => `${part} ${group === undefined}`);
  return [...kinds.values()].map((kind) => kind.toSorted((a, b) => (a.group ?? 0) - (b.group ?? 0)));
}
