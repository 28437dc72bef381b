import { describeBypass, type RequestSignals, type ServerSignals } from "#signals";

export interface CacheNoteDeps {
  /** The application's folder: places are shown relative to it. */
  root: string;
  /** Prints one line in the terminal. */
  print(line: string): void;
}

/** Signals that also say in the terminal why a page was not cached: once for each page, until the reason changes. */
export function withCacheNotes(signals: ServerSignals, { root, print }: CacheNoteDeps): ServerSignals {
  const said = new Map<string, string>();
  const noting = (request: RequestSignals): RequestSignals => {
    let page = "";
    return {
      get handOver() {
        return request.handOver;
      },
      matched: (route, ...facts) => {
        page = route;
        request.matched(route, ...facts);
      },
      step: (kind, name, run) => request.step(kind, name, run),
      cached: (decision) => {
        request.cached(decision);
        const why = decision.kind === "bypass" ? describeBypass(decision.reason).replaceAll(`${root}/`, "") : "";
        if (why !== "" && said.get(page) !== why) print(`${page} is not cached: ${why}`);
        said.set(page, why);
      },
      ended: (outcome) => request.ended(outcome),
      after: (run) => request.after(run),
    };
  };
  return { ...signals, request: (facts, run) => signals.request(facts, (one) => run(noting(one))) };
}
