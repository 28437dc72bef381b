import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { HoldfastError } from "#errors";
import { openReader } from "../../src/service/open-reader.ts";
import type { StoreReader } from "../../src/service/stores/store.ts";

const longestMs = 30_000;

/** Opens the store of a running application. The first event is in the journal before there is a store. */
export async function readerOf({ dataFolder }: { dataFolder: string }): Promise<StoreReader> {
  const until = Date.now() + longestMs;
  for (;;) {
    try {
      return await openReader(join(dataFolder, "data"));
    } catch (error) {
      const isEarly = error instanceof HoldfastError && error.code === "store-not-there";
      if (!isEarly || Date.now() > until) throw error;
    }
    await wait(50);
  }
}
