import { nameOfPart, partOf, weekMs, weekOf } from "../weeks.ts";
import type { Pool, Queries } from "./connect/connections.ts";
import { locks } from "./locks.ts";
import { partitioned } from "./migrations/part-tables.ts";

/** A week of what was accepted, or a part of one: a partition of each table that has events, spans or logs. */
export interface Part {
  readonly id: number;
  /** `events-2026-W46`, as ISO 8601 counts weeks. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

// So many parts before the one that is written are asked whether an event has come before.
const mostEarlier = 3;
const selectParts = 'SELECT id, name, starts_at AS "from", ends_at AS "to" FROM holdfast.part ORDER BY starts_at DESC';

/** Newest first. */
export function listParts(queries: Queries): Promise<Part[]> {
  return queries.all<Part>(selectParts);
}

/** The parts that one process writes into. They are made when the first item of their time comes. */
export class Parts {
  readonly #pool: Pool;
  #known: readonly Part[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Makes sure that each of these moments has a part. */
  async prepare(moments: Iterable<number>): Promise<void> {
    let isLooked = false;
    for (const at of moments) {
      if (this.#find(at) !== undefined) continue;
      if (!isLooked) await this.refresh();
      isLooked = true;
      if (this.#find(at) === undefined) await this.#make(at);
    }
  }

  /** The part of a moment that was prepared. */
  at(moment: number): Part {
    const part = this.#find(moment);
    if (part === undefined) throw new Error(`There is no part for ${new Date(moment).toISOString()}.`);
    return part;
  }

  /** These parts, and those of the seven days before and after each: where another delivery of an event may lie. */
  around(parts: Iterable<Part>): readonly number[] {
    const ids = new Set<number>();
    for (const { id, from, to } of parts) {
      ids.add(id);
      const earlier = this.#known.filter((other) => other.from < from && other.to > from - weekMs);
      for (const other of earlier.slice(0, mostEarlier)) ids.add(other.id);
      for (const other of this.#known) if (other.from >= to && other.from < to + weekMs) ids.add(other.id);
    }
    return [...ids];
  }

  /** Other processes make and end parts too. */
  async refresh(): Promise<void> {
    this.#known = await listParts(this.#pool);
  }

  forget(): void {
    this.#known = [];
  }

  /** Ends the part of this moment; what is accepted from then on goes into another. */
  async split(at: number): Promise<void> {
    await this.#pool.transaction(async (queries) => {
      await queries.run("SELECT pg_advisory_xact_lock($1, 1)", locks.schema);
      // Batches that are being filed go by the end that was known.
      await queries.run("SELECT pg_advisory_xact_lock($1, 2)", locks.schema);
      const current = (await listParts(queries)).find(({ from, to }) => from < at && at < to);
      if (current === undefined) return;
      await queries.run("UPDATE holdfast.part SET ends_at = $1 WHERE id = $2", at, current.id);
      await makePart(queries, at);
    });
    this.forget();
  }

  #find(at: number): Part | undefined {
    return this.#known.find(({ from, to }) => from <= at && at < to);
  }

  async #make(at: number): Promise<void> {
    await this.#pool.transaction(async (queries) => {
      await queries.run("SELECT pg_advisory_xact_lock($1, 1)", locks.schema);
      const listed = await listParts(queries);
      if (!listed.some(({ from, to }) => from <= at && at < to)) await makePart(queries, at);
    });
    await this.refresh();
  }
}

/**
 * Attaching a finished table takes a lock that lets others read and write the other parts; making it as a partition
 * would not.
 */
async function makePart(queries: Queries, at: number): Promise<void> {
  await makeNamedPart(queries, newPart(at, await listParts(queries)));
}

/** Call while the schema is locked. Returns its number. */
export async function makeNamedPart(queries: Queries, { name, from, to }: Omit<Part, "id">): Promise<number> {
  const made = await queries.one<{ id: number }>(
    "INSERT INTO holdfast.part (name, starts_at, ends_at) VALUES ($1, $2, $3) RETURNING id",
    name,
    from,
    to,
  );
  const id = made?.id ?? 0;
  for (const table of partitioned) {
    const partition = partitionOf(table, id);
    await queries.run(
      `CREATE TABLE ${partition} (LIKE holdfast.${table} INCLUDING ALL, CHECK (part = ${id}));
       ALTER TABLE holdfast.${table} ATTACH PARTITION ${partition} FOR VALUES IN (${id})`,
    );
  }
  return id;
}

export function partitionOf(table: string, part: number): string {
  return `holdfast.${table}_${part}`;
}

/** A part that is not listed yet, as far as it does not reach into others. */
function newPart(at: number, listed: readonly Part[]): Omit<Part, "id"> {
  const { name, from, to } = weekOf(at);
  const number = 1 + Math.max(0, ...listed.map((part) => partOf(part.name, name)));
  return {
    name: nameOfPart(name, number),
    from: Math.max(from, ...listed.map((part) => part.to).filter((end) => end <= at)),
    to: Math.min(to, ...listed.map((part) => part.from).filter((start) => start > at)),
  };
}
