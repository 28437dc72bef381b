import type { FullLoadReason, NavigationFacts, NavigationOutcome, PrefetchOutcome } from "#signals";

/** What navigation and prefetching do in this tab, as it happens. Errors have their own door, `holdfast/report`. */
export type Signal =
  | { kind: "navigation-started"; navigation: NavigationFacts }
  | { kind: "navigation-ended"; navigation: NavigationFacts; outcome: NavigationOutcome; ms: number }
  | { kind: "prefetch-ended"; url: string; outcome: PrefetchOutcome }
  | { kind: "prefetch-used"; url: string; use: "fresh" | "stale" | "expired" | "evicted"; ageMs: number }
  | { kind: "full-load"; url: string; reason: FullLoadReason; allowed: boolean }
  | { kind: "connection"; state: "lost" | "back" };

const listeners = new Set<(signal: Signal) => void>();

/**
 * Listens to navigation and prefetching, for showing or counting them. Only in effects and event handlers; returns how
 * to stop.
 *
 * @example useEffect(() => onSignal((signal) => signal.kind === "full-load" && count(signal.reason)), []);
 */
export function onSignal(listener: (signal: Signal) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A listener that throws is the application's error, and must not become the navigation's. */
export function tellListeners(signal: Signal): void {
  for (const listener of listeners) {
    try {
      listener(signal);
    } catch (error) {
      reportError(error);
    }
  }
}
