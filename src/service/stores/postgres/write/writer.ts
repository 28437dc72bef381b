import type { Pool } from "../connect/connections.ts";

/**
 * Who files, and how far: one row for each data folder. The position changes in the transaction of the batch, so that a
 * batch is filed exactly once.
 */
export class Writer {
  readonly #pool: Pool;
  readonly #name: string;
  #known: { id: number; position: number } | undefined;

  constructor(pool: Pool, name: string) {
    this.#pool = pool;
    this.#name = name;
  }

  /** Where it is. Asks when that is not certain. */
  async current(): Promise<{ id: number; position: number }> {
    this.#known ??= await this.#confirm();
    return this.#known;
  }

  movedTo(position: number): void {
    if (this.#known !== undefined) this.#known = { ...this.#known, position };
  }

  /** After any error: the batch may have been committed without an answer. */
  doubt(): void {
    this.#known = undefined;
  }

  /** A short write: it fails while the database is away, and shows that it is back. */
  async probe(): Promise<void> {
    await this.#pool.run("UPDATE holdfast.writer SET seen_at = now() WHERE name = $1", this.#name);
  }

  /**
   * Writes, because a mere question could be answered before a commit that is still on its way: the write waits for it.
   */
  async #confirm(): Promise<{ id: number; position: number }> {
    const row = await this.#pool.one<{ id: number; position: number }>(
      `INSERT INTO holdfast.writer (name) VALUES ($1)
       ON CONFLICT (name) DO UPDATE SET confirmed = writer.confirmed + 1 RETURNING id, position`,
      this.#name,
    );
    if (row === undefined) throw new Error(`The writer ${this.#name} was not made.`);
    return row;
  }
}
