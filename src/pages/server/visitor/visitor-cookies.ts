/**
 * More names than this are a program's doing; then every cookie counts. So many of usual length fit into a cookie
 * beside a result.
 */
const namesAtMost = 20;

/** The framework's own cookies say nothing of who the visitor is. */
export const ownPrefix = "holdfast-";

/**
 * By which cookies this application knows its visitors: those that its code reads, by any name. Learned
 * while the process runs, from the request hook, guards, loads and actions; what is read for the first time changes the
 * tag of everyone once.
 */
export class VisitorCookies {
  readonly #names = new Set<string>();
  #all = false;

  /** The names in order, or undefined where all cookies count. */
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

  /** The header was read as a whole. */
  noteAll(): void {
    this.#all = true;
    this.#names.clear();
  }
}
