import type { StoreReader } from "./store.ts";

/**
 * A reader that is opened by its first use: before, the service may not have created its files, and many services never
 * need it. A failure is not kept.
 */
export class LazyReader {
  readonly #open: () => Promise<StoreReader>;
  #opened: Promise<StoreReader> | undefined;

  constructor(open: () => Promise<StoreReader>) {
    this.#open = open;
  }

  get(): Promise<StoreReader> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async close(): Promise<void> {
    (await this.#opened?.catch(() => undefined))?.close();
  }
}
