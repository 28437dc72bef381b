import { hourMs } from "../../clock.ts";
import { ownCopyOf } from "../../own-copy.ts";
import { otherNames } from "../flood.ts";
import { type Pool, withoutNull } from "./connect/connections.ts";

// Routes, releases, tag values: some thousand in use at any time, of at most 200 characters each.
const mostCached = 20_000;

/** The numbers of some texts; 0 stands for no text. */
export interface NameNumbers {
  /** The number of a text, or of `otherNames` if it was refused. */
  number(text: string | undefined): number;
  known(text: string): number | undefined;
}

/**
 * Texts that repeat are kept once and referred to by number. A new one is committed at once and never in the
 * transaction that uses it: other transactions may use it from then on.
 */
export class Names {
  readonly #pool: Pool;
  readonly #newPerHour: number;
  readonly #ids = new Map<string, number>();
  readonly #texts = new Map<number, string>();
  #hour = 0;
  #newInHour = 0;

  constructor(pool: Pool, newPerHour: number = Number.POSITIVE_INFINITY) {
    this.#pool = pool;
    this.#newPerHour = newPerHour;
  }

  /** The numbers of these texts, as far as they have one. */
  async find(texts: Iterable<string>): Promise<NameNumbers> {
    return numbersOf(await this.#numbers(texts));
  }

  /** The same, and makes the missing ones. Beyond the limit of an hour they are refused. */
  async make(texts: Iterable<string>): Promise<NameNumbers> {
    const wanted = new Set([otherNames, ...texts]);
    const numbers = await this.#numbers(wanted);
    const missing = [...wanted].map(withoutNull).filter((text) => !numbers.has(text));
    const allowed = [...new Set(missing)].sort().filter((text) => text === otherNames || this.#mayMake());
    if (allowed.length === 0) return numbersOf(numbers);
    await this.#pool.run("INSERT INTO holdfast.name (text) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING", allowed);
    return numbersOf(new Map([...numbers, ...(await this.#numbers(allowed))]));
  }

  /** The texts of these numbers. */
  async read(ids: Iterable<number>): Promise<(id: number) => string | undefined> {
    const texts = new Map<number, string>();
    const unknown: number[] = [];
    for (const id of new Set(ids)) {
      const text = this.#texts.get(id);
      if (text !== undefined) texts.set(id, text);
      else if (id !== 0) unknown.push(id);
    }
    if (unknown.length > 0)
      for (const { id, text } of this.#keep(
        await this.#pool.all("SELECT id, text FROM holdfast.name WHERE id = ANY ($1)", unknown),
      ))
        texts.set(id, text);
    return (id) => texts.get(id);
  }

  forget(): void {
    this.#ids.clear();
    this.#texts.clear();
  }

  async #numbers(texts: Iterable<string>): Promise<Map<string, number>> {
    const numbers = new Map<string, number>();
    const unknown = new Set<string>();
    for (const raw of texts) {
      const text = withoutNull(raw);
      const id = this.#ids.get(text);
      if (id === undefined) unknown.add(text);
      else numbers.set(text, id);
    }
    if (unknown.size > 0)
      for (const { id, text } of this.#keep(
        await this.#pool.all("SELECT id, text FROM holdfast.name WHERE text = ANY ($1)", [...unknown]),
      ))
        numbers.set(text, id);
    return numbers;
  }

  #mayMake(): boolean {
    const hour = Math.floor(Date.now() / hourMs);
    if (hour !== this.#hour) this.#newInHour = 0;
    this.#hour = hour;
    this.#newInHour += 1;
    return this.#newInHour <= this.#newPerHour;
  }

  #keep(rows: readonly { id: number; text: string }[]): readonly { id: number; text: string }[] {
    if (this.#ids.size + rows.length > mostCached) this.forget();
    for (const { id, text } of rows) {
      const copy = ownCopyOf(text);
      this.#ids.set(copy, id);
      this.#texts.set(id, copy);
    }
    return rows;
  }
}

function numbersOf(numbers: ReadonlyMap<string, number>): NameNumbers {
  const known = (text: string): number | undefined => numbers.get(withoutNull(text));
  return {
    known,
    number: (text) => (text === undefined ? 0 : (known(text) ?? numbers.get(otherNames) ?? 0)),
  };
}
