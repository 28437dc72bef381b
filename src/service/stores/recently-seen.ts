import { ownCopyOf } from "../own-copy.ts";

/** Caches recently seen keys, to spare the database a query. May forget, which costs one more query. */
export class RecentlySeen {
  readonly #seen = new Set<string>();
  readonly #atMost: number;

  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  isNew(text: string): boolean {
    if (this.#seen.has(text)) return false;
    if (this.#seen.size >= this.#atMost) this.#seen.clear();
    this.#seen.add(ownCopyOf(text));
    return true;
  }

  forget(): void {
    this.#seen.clear();
  }
}
