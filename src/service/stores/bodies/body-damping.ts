/**
 * Keeps a loop that throws ten thousand times a second from filling the disk. Every event keeps its row, so that
 * counters are exact and each digest leads to its issue. Of the bodies beyond the limit, every tenth is stored as a
 * sample.
 */
export class BodyDamping {
  readonly #bodiesPerMinute: number;
  #minute = 0;
  #seen = new Map<number, number>();

  constructor(bodiesPerIssueAndMinute: number) {
    this.#bodiesPerMinute = bodiesPerIssueAndMinute;
  }

  storesBody(group: number, at: number): boolean {
    const minute = Math.floor(at / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#seen = new Map();
    }
    const seen = (this.#seen.get(group) ?? 0) + 1;
    this.#seen.set(group, seen);
    return seen <= this.#bodiesPerMinute || seen % 10 === 0;
  }
}
