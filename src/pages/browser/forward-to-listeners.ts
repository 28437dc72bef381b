import type { BrowserSignals } from "#signals";
import { notifyListeners } from "../react/on-signal.ts";

/** Returns the same signals, which also notify the application's own listeners. */
export function forwardToListeners(signals: BrowserSignals): BrowserSignals {
  return {
    ...signals,
    navigationStarted: (navigation) => {
      const startedAt = performance.now();
      notifyListeners({ kind: "navigation-started", navigation });
      const started = signals.navigationStarted(navigation);
      return {
        headers: () => started.headers(),
        dataRequested: () => started.dataRequested(),
        ended: (outcome) => {
          started.ended(outcome);
          notifyListeners({ kind: "navigation-ended", navigation, outcome, ms: performance.now() - startedAt });
        },
      };
    },
    prefetchEnded: (facts) => {
      signals.prefetchEnded(facts);
      notifyListeners({ kind: "prefetch-ended", ...facts });
    },
    prefetchUsed: (facts) => {
      signals.prefetchUsed(facts);
      notifyListeners({ kind: "prefetch-used", ...facts });
    },
    fullLoadChosen: (facts) => {
      signals.fullLoadChosen(facts);
      notifyListeners({ kind: "full-load", ...facts });
    },
    connection: (state) => {
      signals.connection(state);
      notifyListeners({ kind: "connection", state });
    },
  };
}
