import type { LedgerStorage } from "./navigation/full-load.ts";

/**
 * Stores the ledger in `sessionStorage`, or in the history entry if storage is denied. That at least prevents an
 * endless reload of one address.
 */
export function ledgerStorage(key: string): LedgerStorage {
  return {
    read() {
      try {
        return sessionStorage.getItem(key);
      } catch {
        const stored: unknown = history.state?.[key];
        return typeof stored === "string" ? stored : null;
      }
    },
    write(text) {
      try {
        sessionStorage.setItem(key, text);
      } catch {
        history.replaceState({ ...history.state, [key]: text }, "");
      }
      return this.read() === text;
    },
  };
}

/** The ledger of all automatic full loads. */
export const fullLoads: LedgerStorage = ledgerStorage("holdfast-full-loads");
