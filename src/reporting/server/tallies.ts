import { changesIn, type OpenEntry, openPerTally, type StatedTally, type TalliedBook } from "#protocol";

interface Tally {
  readonly book: TalliedBook;
  readonly hour: number;
  readonly ends: Record<string, number>;
  readonly open: Map<string, OpenEntry>;
  /** `changesIn` of what was delivered last. */
  saidChanges: number;
}

const hourMs = 3_600_000;

/** What one process has counted: for each book and hour, how many have ended, and which have not. Pure. */
export class Tallies {
  readonly #tallies = new Map<string, Tally>();

  /** How many of a book have no end yet. */
  openIn(book: TalliedBook): number {
    return [...this.#tallies.values()].reduce((sum, tally) => sum + (tally.book === book ? tally.open.size : 0), 0);
  }

  get isEmpty(): boolean {
    return this.#tallies.size === 0;
  }

  /** Whether all that was counted is delivered. */
  get isSaid(): boolean {
    return this.unsaid(Number.POSITIVE_INFINITY).length === 0 && !this.hasOpen(Number.POSITIVE_INFINITY);
  }

  /** Whether one that began before this time may still end. */
  hasOpen(beforeMs: number): boolean {
    return this.#entries().some(({ entry: { atMs, state } }) => state !== "lost" && atMs < beforeMs);
  }

  begin(book: TalliedBook, entry: OpenEntry): void {
    const { open } = this.#tallyOf(book, entry.atMs);
    if (open.size < openPerTally) open.set(entry.id, entry);
  }

  /** Enters one that will not end. Returns whether there was room for its name. `atMs` is the time of the entry. */
  lose(book: TalliedBook, entry: OpenEntry, atMs: number): boolean {
    const { open } = this.#tallyOf(book, atMs);
    if (open.size >= openPerTally) return false;
    open.set(entry.id, { ...entry, state: "lost" });
    return true;
  }

  kept(id: string): void {
    for (const { open } of this.#tallies.values()) {
      const entry = open.get(id);
      if (entry) open.set(id, { ...entry, state: "kept" });
    }
  }

  /** Does nothing for an unknown id: of a file, the end of one that has been counted may be read twice. */
  end(id: string, kind: string): void {
    for (const { ends, open } of this.#tallies.values()) if (open.delete(id)) ends[kind] = (ends[kind] ?? 0) + 1;
  }

  /** Counts some whose beginning and end arrive together. */
  count(book: TalliedBook, atMs: number, ends: Readonly<Record<string, number>>): void {
    const tally = this.#tallyOf(book, atMs);
    for (const [kind, n] of Object.entries(ends)) tally.ends[kind] = (tally.ends[kind] ?? 0) + n;
  }

  /** The process has ended: what is kept can be run later, and the rest is lost. */
  close(): void {
    for (const { tally, entry } of this.#entries())
      if (entry.state === "kept") this.end(entry.id, "kept");
      else tally.open.set(entry.id, { ...entry, state: "lost" });
  }

  restore({ book, hour, ends, open }: StatedTally): void {
    const entries = new Map(open.map((entry) => [entry.id, entry]));
    this.#tallies.set(keyOf(book, hour), { book, hour, ends: { ...ends }, open: entries, saidChanges: 0 });
  }

  all(): readonly StatedTally[] {
    return [...this.#tallies.values()].map((tally) => statedOf(tally, Number.POSITIVE_INFINITY));
  }

  /** What was not delivered yet. Nearly all that began after `beforeMs` are about to end, so they are left out. */
  unsaid(beforeMs: number): readonly StatedTally[] {
    return [...this.#tallies.values()]
      .map((tally) => ({ tally, stated: statedOf(tally, beforeMs) }))
      .filter(({ tally, stated }) => changesIn(stated) !== tally.saidChanges)
      .map(({ stated }) => stated);
  }

  said(stated: StatedTally): void {
    const tally = this.#tallies.get(keyOf(stated.book, stated.hour));
    if (tally) tally.saidChanges = changesIn(stated);
  }

  /** Forgets hours before this time to which nothing can be added. */
  forget(beforeMs: number): void {
    for (const [key, tally] of this.#tallies) {
      const isSaid = changesIn(statedOf(tally, Number.POSITIVE_INFINITY)) === tally.saidChanges;
      const isOver = [...tally.open.values()].every(({ state }) => state === "lost");
      if (isSaid && isOver && (tally.hour + 1) * hourMs <= beforeMs) this.#tallies.delete(key);
    }
  }

  #entries(): { tally: Tally; entry: OpenEntry }[] {
    return [...this.#tallies.values()].flatMap((tally) => [...tally.open.values()].map((entry) => ({ tally, entry })));
  }

  #tallyOf(book: TalliedBook, atMs: number): Tally {
    const hour = Math.floor(atMs / hourMs);
    const key = keyOf(book, hour);
    const known = this.#tallies.get(key) ?? { book, hour, ends: {}, open: new Map(), saidChanges: 0 };
    this.#tallies.set(key, known);
    return known;
  }
}

function keyOf(book: TalliedBook, hour: number): string {
  return `${book} ${hour}`;
}

function statedOf({ book, hour, ends, open }: Tally, beforeMs: number): StatedTally {
  const named = [...open.values()].filter(({ atMs, state }) => state === "lost" || atMs < beforeMs);
  return { book, hour, ends: { ...ends }, open: named };
}
