/**
 * With more names, probably written by a program, every cookie counts. This many of usual length fit into a cookie
 * beside a result.
 */
const namesAtMost = 20;

/** The framework's own cookies do not identify the visitor. */
export const ownPrefix = "holdfast-";

/**
 * The cookies that identify visitors: those that the application reads. They are learned at runtime from the request
 * hook, guards, loads and actions; the first read of a cookie changes everyone's tag once.
 */
export class VisitorCookies {
  readonly #names = new Set<string>();
  #all = false;

  /** The names in order, or undefined if all cookies count. */
  get names(): readonly string[] | undefined {
    return this.#all ? undefined : [...this.#names].sort();
  }

  get isEmpty(): boolean {
    return !this.#all && this.#names.size === 0;
  }

  noteRead(name: string): void {
    if (this.#all || this.#names.has(name) || name.startsWith(ownPrefix)) return;
    this.#names.add(name);
    if (this.#names.size > namesAtMost) this.noteAll();
  }

  /** The header was read as a whole, so every cookie counts. */
  noteAll(): void {
    this.#all = true;
    this.#names.clear();
  }
}
