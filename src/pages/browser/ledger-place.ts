import type { LedgerPlace } from "./full-load.ts";

const ledgerKey = "holdfast-full-loads";

/** The tab's storage; where that is denied, the history entry, which at least stops an address from reloading itself for ever. */
export const ledgerPlace: LedgerPlace = {
  read() {
    try {
      return sessionStorage.getItem(ledgerKey);
    } catch {
      const state: unknown = history.state;
      return typeof state === "object" && state !== null && ledgerKey in state ? String(state[ledgerKey]) : null;
    }
  },
  write(text) {
    try {
      sessionStorage.setItem(ledgerKey, text);
    } catch {
      history.replaceState({ ...history.state, [ledgerKey]: text }, "");
    }
    return this.read() === text;
  },
};
