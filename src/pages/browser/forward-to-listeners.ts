import type { BrowserSignals } from "#signals";
import { tellListeners } from "../react/on-signal.ts";

/** Returns the same signals, which also notify the application's own listeners. */
export function forwardToListeners(signals: BrowserSignals): BrowserSignals {
  return {
    ...signals,
    navigationStarted: (navigation) => {
      const startedAt = performance.now();
      tellListeners({ kind: "navigation-started", navigation });
      const started = signals.navigationStarted(navigation);
      return {
        headers: () => started.headers(),
        dataRequested: () => started.dataRequested(),
        ended: (outcome) => {
          started.ended(outcome);
          tellListeners({ kind: "navigation-ended", navigation, outcome, ms: performance.now() - startedAt });
        },
      };
    },
    prefetchEnded: (facts) => {
      signals.prefetchEnded(facts);
      tellListeners({ kind: "prefetch-ended", ...facts });
    },
    prefetchUsed: (facts) => {
      signals.prefetchUsed(facts);
      tellListeners({ kind: "prefetch-used", ...facts });
    },
    fullLoadChosen: (facts) => {
      signals.fullLoadChosen(facts);
      tellListeners({ kind: "full-load", ...facts });
    },
    connection: (state) => {
      signals.connection(state);
      tellListeners({ kind: "connection", state });
    },
  };
}
