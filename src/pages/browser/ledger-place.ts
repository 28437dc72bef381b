import type { LedgerPlace } from "./full-load.ts";

/** The tab's storage; where that is denied, the history entry, which at least stops an address from reloading itself for ever. */
export function ledgerPlace(key: string): LedgerPlace {
  const read = (): string | null => {
    try {
      return sessionStorage.getItem(key);
    } catch {
      const state: unknown = history.state;
      return typeof state === "object" && state !== null && key in state ? String(Reflect.get(state, key)) : null;
    }
  };
  return {
    read,
    write(text) {
      try {
        sessionStorage.setItem(key, text);
      } catch {
        history.replaceState({ ...history.state, [key]: text }, "");
      }
      return read() === text;
    },
  };
}

/** The one of all automatic full loads. */
export const fullLoads = ledgerPlace("holdfast-full-loads");
