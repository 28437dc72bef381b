import type { LedgerStorage } from "./navigation/full-load.ts";

/**
 * The tab's storage; where that is denied, the history entry, which at least stops an address from reloading itself for
 * ever.
 */
export function ledgerStorage(key: string): LedgerStorage {
  return {
    read() {
      try {
        return sessionStorage.getItem(key);
      } catch {
        const kept: unknown = history.state?.[key];
        return typeof kept === "string" ? kept : null;
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

/** The one of all automatic full loads. */
export const fullLoads: LedgerStorage = ledgerStorage("holdfast-full-loads");
