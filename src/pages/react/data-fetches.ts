import { pendingState, runtime } from "./browser-runtime.ts";
import type { DataFailure, DataOutcome, PageDataReader, ReadReason } from "./data-outcome.ts";

/** The state of one data fetcher. */
export interface DataState {
  data: unknown;
  pending: boolean;
  held: boolean;
  failure: DataFailure | undefined;
}

const idle: DataState = { data: undefined, pending: false, held: false, failure: undefined };

interface Entry {
  state: DataState;
  readonly listeners: Set<() => void>;
  href?: string;
  /** The pending load. */
  loading?: Promise<DataOutcome> | undefined;
  stop?: AbortController;
}

export interface DataFetchesDeps {
  /** Loads the code that reads data. */
  reader(): Promise<PageDataReader>;
  /** Resolves when it is time to load that code again. */
  pause(failures: number): Promise<void>;
}

/** What the fetchers of a page have loaded, by key. Components with the same key share one entry. */
export class DataFetches {
  readonly #deps: DataFetchesDeps;
  readonly #entries = new Map<unknown, Entry>();
  #reader: PageDataReader | undefined;

  constructor(deps: DataFetchesDeps) {
    this.#deps = deps;
  }

  read(key: unknown): DataState {
    return this.#entries.get(key)?.state ?? idle;
  }

  /** The entry is dropped with its last listener. */
  subscribe(key: unknown, listener: () => void): () => void {
    const entry = this.#entryOf(key);
    entry.listeners.add(listener);
    return () => {
      entry.listeners.delete(listener);
      // In the same moment another component may subscribe to it.
      queueMicrotask(() => this.#dropUnused(key, entry));
    };
  }

  #dropUnused(key: unknown, entry: Entry): void {
    if (entry.listeners.size > 0 || this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    entry.stop?.abort();
  }

  /** Loads an address. The same address while it is pending is one load; another one replaces it. */
  load(key: unknown, href: string): Promise<DataOutcome> {
    const entry = this.#entryOf(key);
    // A component that is gone may still call it.
    if (entry.listeners.size === 0) setTimeout(() => this.#dropUnused(key, entry), unusedMs);
    return entry.loading && entry.href === href ? entry.loading : this.#start(entry, href, "load");
  }

  /** Asks the server again. */
  reload(key: unknown): Promise<DataOutcome> {
    const entry = this.#entries.get(key);
    if (entry?.href === undefined) return Promise.resolve({ kind: "superseded" });
    return this.#start(entry, entry.href, "reload");
  }

  #entryOf(key: unknown): Entry {
    const known = this.#entries.get(key);
    if (known) return known;
    const entry: Entry = { state: idle, listeners: new Set() };
    this.#entries.set(key, entry);
    return entry;
  }

  #start(entry: Entry, href: string, why: ReadReason): Promise<DataOutcome> {
    entry.stop?.abort();
    const stop = new AbortController();
    // Data of another path would be shown under a wrong name; data of another search is replaced when it is there.
    const data = pathOf(entry.href) === pathOf(href) ? entry.state.data : undefined;
    const loading = this.#run(entry, href, why, stop.signal);
    Object.assign(entry, { href, stop, loading });
    this.#show(entry, { ...entry.state, data, pending: why !== "change" });
    return loading;
  }

  async #run(entry: Entry, href: string, why: ReadReason, signal: AbortSignal): Promise<DataOutcome> {
    const onHeld = (): void => {
      if (!signal.aborted) this.#show(entry, { ...entry.state, held: true });
    };
    const reader = await this.#loadReader(signal, onHeld);
    const outcome = await reader?.read(href, { why, signal, onHeld });
    if (signal.aborted || !outcome || outcome.kind === "superseded") return { kind: "superseded" };
    entry.loading = undefined;
    // A page that the visitor reads stays as it is.
    const stays = why === "change" && outcome.kind === "outdated";
    this.#show(entry, stays ? entry.state : nextState(entry.state, outcome));
    return outcome;
  }

  async #loadReader(signal: AbortSignal, onHeld: () => void): Promise<PageDataReader | undefined> {
    for (let failures = 1; !signal.aborted; failures++) {
      const reader = await this.#deps.reader().catch(() => undefined);
      if (reader) return this.#follow(reader);
      onHeld();
      await this.#deps.pause(failures);
    }
    return undefined;
  }

  #follow(reader: PageDataReader): PageDataReader {
    if (reader !== this.#reader) reader.onChange((isChanged) => this.#refresh(isChanged));
    this.#reader = reader;
    return reader;
  }

  /** Something has changed: what is shown is loaded again. Pending loads have been asked again already. */
  #refresh(isChanged: (href: string) => boolean): void {
    for (const entry of this.#entries.values())
      if (entry.href !== undefined && !entry.loading && isChanged(entry.href))
        void this.#start(entry, entry.href, "change");
  }

  #show(entry: Entry, state: DataState): void {
    entry.state = state;
    for (const listener of entry.listeners) listener();
  }
}

/** A failure that another attempt may repair leaves the data as it is. */
function nextState({ data }: DataState, outcome: Exclude<DataOutcome, { kind: "superseded" }>): DataState {
  if (outcome.kind === "loaded") return { ...idle, data: outcome.data };
  const mayPass = outcome.kind === "failed" || outcome.kind === "unreadable" || outcome.kind === "outdated";
  return { ...idle, data: mayPass ? data : undefined, failure: outcome };
}

function pathOf(href: string | undefined): string | undefined {
  return href?.split("?", 1)[0];
}

/** An effect that calls `load` may run before the component has subscribed. */
const unusedMs = 1_000;
const longestPauseMs = 10_000;

/** One per document. */
export const dataFetches: DataFetches = new DataFetches({
  reader: () => runtime("useFetcher").dataReader(),
  pause: (failures) =>
    new Promise((resolve) => {
      addEventListener("online", () => resolve(), { once: true });
      setTimeout(resolve, Math.min(longestPauseMs, 500 * 2 ** failures));
    }),
});
pendingState.readsData = true;
