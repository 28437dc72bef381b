import { unpack } from "../bodies/packing.ts";
import { ReferenceCache } from "../bodies/reference-cache.ts";
import type { Queries } from "./connect/connections.ts";

/** The body that those of its group are packed against, and the id by which blocks name it. */
export interface Reference {
  readonly id: number;
  readonly body: Buffer;
}

const cacheLimits = { bytes: 16 * 1024 ** 2, entries: 20_000 };

/**
 * The first body of each group and part. Two writers may each make one: blocks name theirs by id, and both stay valid.
 */
export class References {
  /** By part and id, not by group: after an outage, the first of a group may be another writer's. */
  readonly #bodies = new ReferenceCache(cacheLimits);
  readonly #ids = new Map<string, number>();

  /** Those of the groups that have one already, by `keyOf`. */
  async find(queries: Queries, wanted: readonly { part: number; group: number }[]): Promise<Map<string, Reference>> {
    const found = new Map<string, Reference>();
    const unknown = wanted.filter(({ part, group }) => {
      const id = this.#ids.get(keyOf(part, group));
      const body = id === undefined ? undefined : this.#bodies.get(`${part}`, id);
      if (id !== undefined && body !== undefined) found.set(keyOf(part, group), { id, body: Buffer.from(body) });
      return id === undefined || body === undefined;
    });
    if (unknown.length === 0) return found;
    const rows = await queries.all<{ id: number; part: number; grp: number; packed: Uint8Array }>(
      `SELECT DISTINCT ON (r.part, r.grp) r.id, r.part, r.grp, r.packed
       FROM unnest($1::int[], $2::bigint[]) AS u (part, grp)
       JOIN holdfast.body_reference r ON r.grp = u.grp AND r.part = u.part ORDER BY r.part, r.grp, r.id`,
      unknown.map(({ part }) => part),
      unknown.map(({ group }) => group),
    );
    for (const { id, part, grp, packed } of rows) {
      const body = unpack(packed);
      // A damaged one is no help; what follows gets another.
      if (body === undefined) continue;
      found.set(keyOf(part, grp), { id, body });
      this.keep(part, grp, { id, body });
    }
    return found;
  }

  /** After it was committed. */
  keep(part: number, group: number, { id, body }: Reference): void {
    if (this.#ids.size >= cacheLimits.entries * 2) this.#ids.clear();
    this.#ids.set(keyOf(part, group), id);
    this.#bodies.keep(`${part}`, id, body);
  }

  forget(): void {
    this.#ids.clear();
  }
}

export function keyOf(part: number, group: number): string {
  return `${part} ${group}`;
}
