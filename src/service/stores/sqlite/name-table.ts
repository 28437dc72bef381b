import { hourMs } from "../../clock.ts";
import { ownCopyOf } from "../../own-copy.ts";
import { otherNames } from "../flood.ts";
import type { Database } from "./database.ts";

// Routes, releases, tag values: a few thousand are in use at a time, of at most 200 characters each. Every file of the
// store has its own table.
const mostCached = 10_000;

/** Stores repeated texts once, referenced by number. 0 means no text. */
export class NameTable {
  readonly #database: Database;
  readonly #ids = new Map<string, number>();
  readonly #texts = new Map<number, string>();
  readonly #mostCached: number;
  readonly #newPerHour: number;
  readonly #now: () => number;
  #hour = 0;
  #newInHour = 0;
  /** How often `otherNames` replaced a new text. */
  refused = 0;

  constructor(
    database: Database,
    atMost: number = mostCached,
    { newPerHour = Number.POSITIVE_INFINITY, now = Date.now }: { newPerHour?: number; now?: () => number } = {},
  ) {
    this.#database = database;
    this.#mostCached = atMost;
    this.#newPerHour = newPerHour;
    this.#now = now;
  }

  /** Number of cached texts. */
  get size(): number {
    return this.#ids.size;
  }

  /** Returns the number of a text, and creates one if necessary. */
  number(text: string | undefined): number {
    if (text === undefined) return 0;
    const known = this.find(text);
    if (known !== undefined) return known;
    if (text !== otherNames && !this.#mayMake()) {
      this.refused += 1;
      return this.number(otherNames);
    }
    const made = this.#database.one<{ id: number }>("INSERT INTO name (text) VALUES (?) RETURNING id", text);
    return this.#cache(text, made?.id ?? 0);
  }

  #mayMake(): boolean {
    const hour = Math.floor(this.#now() / hourMs);
    if (hour !== this.#hour) this.#newInHour = 0;
    this.#hour = hour;
    this.#newInHour += 1;
    return this.#newInHour <= this.#newPerHour;
  }

  find(text: string): number | undefined {
    const cached = this.#ids.get(text);
    if (cached !== undefined) return cached;
    const row = this.#database.one<{ id: number }>("SELECT id FROM name WHERE text = ?", text);
    return row === undefined ? undefined : this.#cache(text, row.id);
  }

  text(id: number): string | undefined {
    if (id === 0) return undefined;
    const cached = this.#texts.get(id);
    if (cached !== undefined) return cached;
    const row = this.#database.one<{ text: string }>("SELECT text FROM name WHERE id = ?", id);
    if (row !== undefined) this.#cache(row.text, id);
    return row?.text;
  }

  /** After a rollback, numbers assigned meanwhile are invalid. */
  forget(): void {
    this.#ids.clear();
    this.#texts.clear();
  }

  #cache(text: string, id: number): number {
    if (this.#ids.size >= this.#mostCached) this.forget();
    const copy = ownCopyOf(text);
    this.#ids.set(copy, id);
    this.#texts.set(id, copy);
    return id;
  }
}
