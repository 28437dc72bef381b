import type { FullLoadReason } from "#signals";
import type { BrowserLimits } from "../../limits.ts";

/** One full load. `at` is wall-clock time, because the next document has a new monotonic clock. */
interface Entry {
  url: string;
  reason: string;
  at: number;
  asked?: boolean;
}

/** Storage that survives a full load: `sessionStorage`, or the history entry. */
export interface LedgerStorage {
  read(): string | null;
  /** Returns false if the text could not be stored. */
  write(text: string): boolean;
}

export interface Ledger {
  /**
   * Returns false if this would be one full load too many, or if the ledger cannot be stored. `userInitiated`:
   * the visitor requested it.
   */
  mayLoad(url: string, reason: FullLoadReason, userInitiated?: boolean): boolean;
  note(url: string, reason: FullLoadReason, userInitiated?: boolean): void;
}

type LedgerLimits = Pick<BrowserLimits, "fullLoadSameMs" | "fullLoadsPerTab" | "fullLoadTabMs">;

/** The address is not a page of ours, so such loads cannot loop through this code. */
const harmless: ReadonlySet<FullLoadReason> = new Set(["foreign-redirect", "unknown-route"]);

/**
 * Creates the loop guard: counts full loads across documents, so that no fault causes a reload loop. A load that the
 * visitor requested cannot loop, since the next one needs another click: it is always allowed and never counted.
 */
export function createLedger(storage: LedgerStorage, limits: LedgerLimits, wallNow: () => number): Ledger {
  const entries = (): Entry[] =>
    readEntries(storage.read()).filter(({ at }) => at > wallNow() - limits.fullLoadTabMs && at <= wallNow());
  return {
    mayLoad(url, reason, userInitiated) {
      if (userInitiated || harmless.has(reason)) return true;
      const all = entries();
      const counted = all.filter((entry) => !entry.asked);
      if (counted.length >= limits.fullLoadsPerTab) return false;
      if (
        counted.some(
          (entry) => entry.url === url && entry.reason === reason && entry.at > wallNow() - limits.fullLoadSameMs,
        )
      )
        return false;
      return storage.write(JSON.stringify(all));
    },
    note(url, reason, userInitiated) {
      if (!harmless.has(reason))
        storage.write(JSON.stringify([...entries(), { url, reason, at: wallNow(), asked: userInitiated }]));
    },
  };
}

/** Ignores everything that was not written by this code. */
function readEntries(text: string | null): Entry[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value.filter(isEntry) : [];
  } catch {
    return []; // not JSON: as if there were no ledger yet
  }
}

function isEntry(value: unknown): value is Entry {
  return (
    typeof value === "object" &&
    value !== null &&
    "url" in value &&
    "reason" in value &&
    "at" in value &&
    typeof value.at === "number"
  );
}
