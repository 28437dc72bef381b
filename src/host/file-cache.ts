/** Browser files and prerendered pages: the scripts and styles of a large application, compressed, have 2 MiB. */
export const keptFileBytes = 8_388_608;

/** Larger files are streamed. Scripts, styles and pages are smaller. */
export const keptFileBytesEach = 262_144;

/** The files that were last read, up to a number of bytes. Concurrent requests for one file read it once. */
export class FileCache<Content extends { readonly length: number } = Uint8Array> {
  readonly #maxBytes: number;
  readonly #files = new Map<string, Content>();
  readonly #reading = new Map<string, Promise<Content | undefined>>();
  #bytes = 0;
  #newest: string | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The file, if it was read before. */
  peek(key: string): Content | undefined {
    const cached = this.#files.get(key);
    if (cached === undefined || key === this.#newest) return cached;
    // A map keeps the order of insertion: the one that was not used for longest is first.
    this.#files.delete(key);
    this.#files.set(key, cached);
    this.#newest = key;
    return cached;
  }

  async get(key: string, read: () => Promise<Content | undefined>): Promise<Content | undefined> {
    const cached = this.peek(key);
    if (cached !== undefined) return cached;
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      reading = read().finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
      const content = await reading;
      if (content !== undefined) this.#add(key, content);
    }
    return reading;
  }

  #add(key: string, content: Content): void {
    this.#files.set(key, content);
    this.#newest = key;
    this.#bytes += content.length;
    for (const [oldest, { length }] of this.#files) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#files.delete(oldest);
      this.#bytes -= length;
    }
  }
}
