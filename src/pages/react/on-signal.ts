import type { FullLoadReason, NavigationFacts, NavigationOutcome, PrefetchOutcome } from "#signals";

/** Events of navigation and prefetching in this tab. Errors are reported through `holdfast/report`. */
export type Signal =
  | { kind: "navigation-started"; navigation: NavigationFacts }
  | { kind: "navigation-ended"; navigation: NavigationFacts; outcome: NavigationOutcome; ms: number }
  | { kind: "prefetch-ended"; url: string; outcome: PrefetchOutcome }
  | { kind: "prefetch-used"; url: string; use: "fresh" | "stale" | "expired" | "evicted"; ageMs: number }
  | { kind: "full-load"; url: string; reason: FullLoadReason; allowed: boolean }
  | { kind: "connection"; state: "lost" | "back" };

const listeners = new Set<(signal: Signal) => void>();

/**
 * Listens to navigation and prefetching, to show or count them. Only for effects and event handlers. Returns a function
 * that stops listening.
 *
 * @example useEffect(() => onSignal((signal) => signal.kind === "full-load" && count(signal.reason)), []);
 */
export function onSignal(listener: (signal: Signal) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Notifies all listeners. One that throws is an error of the application and must not fail the navigation. */
export function notifyListeners(signal: Signal): void {
  for (const listener of listeners) {
    try {
      listener(signal);
    } catch (error) {
      reportError(error);
    }
  }
}
