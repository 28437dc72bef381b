import { withLateMaps } from "./builds/late-maps.ts";
import { openStoreReader } from "./stores/open-store.ts";
import type { StoreReader } from "./stores/store.ts";
import { addressToRead } from "./stores/store-address.ts";

/** Opens the store of a data folder for reading: the one in the folder, or the database that `store` names. */
export async function openReader(dataFolder: string, store?: string): Promise<StoreReader> {
  return withLateMaps(await openStoreReader(addressToRead(dataFolder, store)));
}
