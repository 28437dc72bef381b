/** Counts what each client has at the same time, for example connections. */
export class ClientCounts {
  readonly #atMost: number;
  readonly #counts = new Map<string, number>();

  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  /** Returns false if this client has reached its limit. */
  enter(source: string): boolean {
    const count = this.#counts.get(source) ?? 0;
    if (count >= this.#atMost) return false;
    this.#counts.set(source, count + 1);
    return true;
  }

  leave(source: string): void {
    const count = (this.#counts.get(source) ?? 0) - 1;
    if (count > 0) this.#counts.set(source, count);
    else this.#counts.delete(source);
  }
}
