/** How often each shared resource was used up: what metrics export and the log mentions. */
export class Refusals {
  readonly #totals = new Map<string, number>();
  #unreported = new Map<string, number>();

  /** One request, one line or one byte range was refused because this resource is used up. */
  add(resource: string, count = 1): void {
    this.#totals.set(resource, (this.#totals.get(resource) ?? 0) + count);
    this.#unreported.set(resource, (this.#unreported.get(resource) ?? 0) + count);
  }

  get totals(): ReadonlyMap<string, number> {
    return this.#totals;
  }

  /** What was refused since the last call; empty when nothing was. */
  takeUnreported(): ReadonlyMap<string, number> {
    const unreported = this.#unreported;
    this.#unreported = new Map();
    return unreported;
  }
}
