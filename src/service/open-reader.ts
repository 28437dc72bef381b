import { openStoreReader } from "./stores/open-store.ts";
import type { StoreReader } from "./stores/store.ts";
import { storeAddressOf } from "./stores/store-address.ts";

/** Opens the store of a data folder for reading: the one in the folder, or the database that `store` names. */
export function openReader(dataFolder: string, store?: string): Promise<StoreReader> {
  return openStoreReader(storeAddressOf(dataFolder, store));
}
