import { createHash } from "node:crypto";
import {
  keyOfValues,
  type LastingTable,
  lastingTables,
  type MovedRow,
  type MovedValue,
  type MoveReader,
  type MoveTarget,
  ownerOf,
} from "../stores/moved-rows.ts";

/** How much a round has copied. The first copies everything, later ones what has changed. */
export interface Round {
  readonly rows: number;
  /** Issues, counters and other things that outlive a partition, and were new or different. */
  readonly lasting: number;
}

type Owner = readonly MovedValue[];

/** Rows read at once. Source maps have megabytes, sketches some kilobytes. */
const rowsAtOnce: Readonly<Record<string, number>> = {
  map_file: 10,
  issue_group: 500,
  sketch_hour: 500,
  sketch_day: 500,
};
const usualRowsAtOnce = 5_000;

/** Copies a store round by round, until the target has everything. */
export class StoreCopy {
  readonly #source: MoveReader;
  readonly #target: MoveTarget;
  /** Of each table, what the target has of each owner: read once, then known. */
  readonly #known = new Map<LastingTable, Map<string, { owner: Owner; digest: string }>>();

  constructor(source: MoveReader, target: MoveTarget) {
    this.#source = source;
    this.#target = target;
  }

  /** `onRows` is called with the rows of each chunk. */
  async round(onRows: (rows: number, part: string) => void = () => undefined): Promise<Round> {
    let rows = 0;
    const parts = await this.#source.parts();
    for (const part of parts) {
      const cursor = await this.#target.cursor(part);
      for await (const chunk of this.#source.rows(part, cursor)) {
        await this.#target.add(part, chunk);
        const added = Object.values(chunk.rows).reduce((sum, list) => sum + list.length, 0);
        rows += added;
        onRows(added, part.name);
      }
    }
    // Retention may have deleted a partition meanwhile.
    for (const part of await this.#target.parts())
      if (!parts.some(({ name }) => name === part.name)) await this.#target.removePart(part);
    let lasting = 0;
    for (const table of lastingTables) lasting += await this.#copyTable(table);
    return { rows, lasting };
  }

  /** A partition from which rows were deleted since they were copied is copied again. */
  async removePart(name: string): Promise<void> {
    const part = (await this.#target.parts()).find((one) => one.name === name);
    if (part !== undefined) await this.#target.removePart(part);
  }

  async #copyTable(table: LastingTable): Promise<number> {
    const known = this.#known.get(table);
    const now = new Map<string, { owner: Owner; digest: string }>();
    let changes = 0;
    for await (const { range, owners } of ownersIn(this.#source, table)) {
      const there = known ?? digestsOf(byOwner(table, await this.#target.lasting(table, range)));
      const digests = digestsOf(owners);
      const changed = [...owners].filter(([key]) => there.get(key)?.digest !== digests.get(key)?.digest);
      const gone = known === undefined ? [...there].filter(([key]) => !owners.has(key)) : [];
      changes += await this.#replace(
        table,
        [...changed.map(([, { owner }]) => owner), ...gone.map(([, { owner }]) => owner)],
        changed.flatMap(([, { rows }]) => rows),
      );
      for (const [key, digest] of digests) now.set(key, digest);
    }
    const gone = [...(known ?? [])].filter(([key]) => !now.has(key)).map(([, { owner }]) => owner);
    changes += await this.#replace(table, gone, []);
    this.#known.set(table, now);
    return changes;
  }

  async #replace(table: LastingTable, owners: readonly Owner[], rows: readonly MovedRow[]): Promise<number> {
    if (owners.length > 0) await this.#target.replace(table, owners, rows);
    return owners.length;
  }
}

export type Owners = ReadonlyMap<string, { readonly owner: Owner; readonly rows: readonly MovedRow[] }>;

/** Reads a table some owners at a time, each with all its rows. */
export async function* ownersIn(
  store: MoveReader,
  table: LastingTable,
): AsyncGenerator<{ range: { after: Owner | undefined; upTo: Owner | undefined }; owners: Owners }> {
  const atOnce = rowsAtOnce[table.name] ?? usualRowsAtOnce;
  for (let after: Owner | undefined; ; ) {
    const { rows, upTo } = await nextOwners(store, table, after, atOnce);
    yield { range: { after, upTo }, owners: byOwner(table, rows) };
    if (upTo === undefined) return;
    after = upTo;
  }
}

async function nextOwners(
  store: MoveReader,
  table: LastingTable,
  after: Owner | undefined,
  atOnce: number,
): Promise<{ rows: readonly MovedRow[]; upTo: Owner | undefined }> {
  if (table.owner.length === 0) return { rows: await store.lasting(table, {}), upTo: undefined };
  const rows = await store.lasting(table, { after }, atOnce);
  const last = rows.at(-1);
  if (last === undefined || rows.length < atOnce) return { rows, upTo: undefined };
  const cut = keyOfValues(ownerOf(table, last));
  const whole = rows.filter((row) => keyOfValues(ownerOf(table, row)) !== cut);
  const lastWhole = whole.at(-1);
  if (lastWhole !== undefined) return { rows: whole, upTo: ownerOf(table, lastWhole) };
  const upTo = ownerOf(table, last);
  return { rows: await store.lasting(table, { after, upTo }), upTo };
}

export function byOwner(table: LastingTable, rows: readonly MovedRow[]): Owners {
  const owners = new Map<string, { owner: Owner; rows: MovedRow[] }>();
  for (const row of rows) {
    const owner = ownerOf(table, row);
    const key = keyOfValues(owner);
    const known = owners.get(key);
    if (known === undefined) owners.set(key, { owner, rows: [row] });
    else known.rows.push(row);
  }
  return owners;
}

/** The same for the same rows in any order. */
export function digestsOf(owners: Owners): Map<string, { owner: Owner; digest: string }> {
  return new Map(
    [...owners].map(([key, { owner, rows }]) => {
      const lines = rows.map((row) =>
        keyOfValues(
          Object.keys(row)
            .sort()
            .map((column) => row[column] ?? null),
        ),
      );
      const digest = createHash("sha1").update(lines.sort().join("\n")).digest("base64");
      return [key, { owner, digest }];
    }),
  );
}
