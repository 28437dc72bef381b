/** Counts how often each shared limit was reached, for metrics and the log. */
export class Refusals {
  readonly #totals = new Map<string, number>();
  #unreported = new Map<string, number>();

  /** Counts a request, line or byte range that was refused because this resource is used up. */
  add(resource: string, count = 1): void {
    this.#totals.set(resource, (this.#totals.get(resource) ?? 0) + count);
    this.#unreported.set(resource, (this.#unreported.get(resource) ?? 0) + count);
  }

  get totals(): ReadonlyMap<string, number> {
    return this.#totals;
  }

  /** Returns the refusals since the last call; empty without any. */
  takeUnreported(): ReadonlyMap<string, number> {
    const unreported = this.#unreported;
    this.#unreported = new Map();
    return unreported;
  }
}
