/** First events of groups, unpacked, as they are needed again for the next event of the same group. The least used go first. */
export class KeptReferences {
  readonly #bodies = new Map<string, Buffer>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(week: string, group: number): Buffer | undefined {
    const key = `${week} ${group}`;
    const body = this.#bodies.get(key);
    if (body !== undefined) {
      this.#bodies.delete(key);
      this.#bodies.set(key, body);
    }
    return body;
  }

  keep(week: string, group: number, body: Buffer): void {
    this.#bodies.set(`${week} ${group}`, body);
    this.#bytes += body.length;
    for (const [key, oldest] of this.#bodies) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#bodies.delete(key);
      this.#bytes -= oldest.length;
    }
  }

  forget(week: string): void {
    for (const [key, body] of this.#bodies) {
      if (!key.startsWith(`${week} `)) continue;
      this.#bodies.delete(key);
      this.#bytes -= body.length;
    }
  }
}
