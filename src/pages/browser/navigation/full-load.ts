import type { FullLoadReason } from "#signals";
import type { BrowserLimits } from "../../limits.ts";

/** One full load that took place. `at` is wall-clock time, because the next document has a new monotonic clock. */
interface Entry {
  url: string;
  reason: string;
  at: number;
  asked?: boolean;
}

/** Where the ledger survives a full load: the tab's storage, else the history entry, else nowhere. */
export interface LedgerStorage {
  read(): string | null;
  /** False when it could not be kept. */
  write(text: string): boolean;
}

export interface Ledger {
  /**
   * False when this full load would be one too many, or when nothing could remember it. `asked`: the visitor asked for
   * it.
   */
  mayLoad(url: string, reason: FullLoadReason, asked?: boolean): boolean;
  note(url: string, reason: FullLoadReason, asked?: boolean): void;
}

type LedgerLimits = Pick<BrowserLimits, "fullLoadSameMs" | "fullLoadsPerTab" | "fullLoadTabMs">;

/** Loads the visitor asked for by an address that is not ours to show; they cannot loop through us. */
const harmless: ReadonlySet<FullLoadReason> = new Set(["foreign-redirect", "unknown-route"]);

/**
 * The loop guard: counts full loads across documents, so that no fault can turn into a reload loop. A load that the
 * visitor asked for cannot loop, since the next one needs another click: it is always made and never counted.
 */
export function createLedger(place: LedgerStorage, limits: LedgerLimits, wallNow: () => number): Ledger {
  const entries = (): Entry[] =>
    readEntries(place.read()).filter(({ at }) => at > wallNow() - limits.fullLoadTabMs && at <= wallNow());
  return {
    mayLoad(url, reason, asked) {
      if (asked || harmless.has(reason)) return true;
      const all = entries();
      const counted = all.filter((entry) => !entry.asked);
      if (counted.length >= limits.fullLoadsPerTab) return false;
      if (
        counted.some(
          (entry) => entry.url === url && entry.reason === reason && entry.at > wallNow() - limits.fullLoadSameMs,
        )
      )
        return false;
      return place.write(JSON.stringify(all));
    },
    note(url, reason, asked) {
      if (!harmless.has(reason)) place.write(JSON.stringify([...entries(), { url, reason, at: wallNow(), asked }]));
    },
  };
}

/** Anything else in this place was not written by us and counts as nothing. */
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
