import { ownCopyOf } from "../own-copy.ts";

/**
 * Remembers what was seen lately, so that the database need not be asked again. May forget, and then asks once more.
 */
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
