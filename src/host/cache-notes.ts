import {
  type CacheDecision,
  describeBypass,
  type RequestOutcome,
  type RequestSignals,
  type ServerSignals,
  type StepKind,
} from "#signals";

export interface CacheNoteDeps {
  /** The application's folder: places are shown relative to it. */
  root: string;
  /** Prints one line in the terminal. */
  print(line: string): void;
}

/** Signals that also say in the terminal why a page was not cached: once for each page, until the reason changes. */
export function withCacheNotes(signals: ServerSignals, { root, print }: CacheNoteDeps): ServerSignals {
  const said = new Map<string, string>();
  const note: Note = (page, decision) => {
    const why = decision.kind === "bypass" ? describeBypass(decision.reason).replaceAll(`${root}/`, "") : "";
    if (why !== "" && said.get(page) !== why) print(`${page} is not cached: ${why}`);
    said.set(page, why);
  };
  return {
    ...signals,
    request: (facts, run) => signals.request(facts, (one) => run(new NotedRequest(one, note))),
    hit: undefined,
  };
}

type Note = (page: string, decision: CacheDecision) => void;

class NotedRequest implements RequestSignals {
  readonly #request: RequestSignals;
  readonly #note: Note;
  #page = "";

  constructor(request: RequestSignals, note: Note) {
    this.#request = request;
    this.#note = note;
  }

  get handOver(): RequestSignals["handOver"] {
    return this.#request.handOver;
  }

  matched(...facts: Parameters<RequestSignals["matched"]>): void {
    [this.#page] = facts;
    this.#request.matched(...facts);
  }

  step<Value>(kind: StepKind, name: string, run: () => Value): Value {
    return this.#request.step(kind, name, run);
  }

  cached(decision: CacheDecision): void {
    this.#request.cached(decision);
    this.#note(this.#page, decision);
  }

  ended(outcome: RequestOutcome): void {
    this.#request.ended(outcome);
  }

  after(run: () => Promise<void>): Promise<void> {
    return this.#request.after(run);
  }
}
