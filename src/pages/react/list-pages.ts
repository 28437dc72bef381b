import type { DataFailure, DataOutcome, PageDataReader, ReadReason } from "./data-outcome.ts";

/** The search of a page, changed. */
export type SearchChange = Readonly<Record<string, unknown>>;

/** One page of a list: what its load returned, and its search. */
export interface ListPage {
  data: unknown;
  search: SearchChange;
}

export interface ListState {
  /** The pages after the first, which is the page on screen. */
  pages: readonly ListPage[];
  /** `held`: the connection is lost, and the load continues when it is back. */
  state: "idle" | "loading" | "held" | "failed";
  failure: DataFailure | undefined;
}

export interface ListPagesDeps {
  reader(): Promise<PageDataReader>;
  /** The address of the page with this search. */
  href(search: SearchChange): string;
  /** The search of the page after this one; undefined for the last. */
  next(page: ListPage): SearchChange | undefined;
}

const idle: ListState = { pages: [], state: "idle", failure: undefined };

/**
 * The further pages of one list, in the order in which they were loaded. One request runs at a time: the address of a
 * page may depend on the page before it.
 */
export class ListPages {
  /** The path and search of the first page. */
  readonly address: string;
  readonly #listeners = new Set<() => void>();
  readonly #requests = new Set<AbortController>();
  #state = idle;
  #refresh: "idle" | "running" | "again" = "idle";

  constructor(address: string) {
    this.address = address;
  }

  readonly read = (): ListState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Loads the page after the last one. Does nothing while a load is pending, and at the end of the list. */
  async loadNext(first: ListPage, deps: ListPagesDeps): Promise<void> {
    const { state, pages, failure } = this.#state;
    if (state === "loading" || state === "held") return;
    const search = deps.next(pages.at(-1) ?? first);
    if (!search) return;
    this.#show({ pages, state: "loading", failure });
    const outcome = await this.#ask(search, failure ? "reload" : "load", deps);
    if (!outcome) return;
    const now = this.#state.pages;
    if (outcome.kind === "loaded") this.#show({ ...idle, pages: [...now, { data: outcome.data, search }] });
    else this.#show({ pages: now, state: "failed", failure: outcome });
  }

  /** Loads pages until there are so many, or one fails. */
  async refill(first: ListPage, count: number, deps: ListPagesDeps): Promise<void> {
    while (this.#state.pages.length < count) {
      const before = this.#state.pages;
      await this.loadNext(first, deps);
      if (this.#state.pages === before) return;
    }
  }

  /**
   * Something has changed: loads all pages again, from the first on, and replaces each when it is there. A page that
   * fails stays as it is; one that the visitor may no longer see goes, with those after it.
   */
  async refresh(first: ListPage, deps: ListPagesDeps): Promise<void> {
    if (this.#refresh !== "idle") {
      this.#refresh = "again";
      return;
    }
    do {
      this.#refresh = "running";
      for (let at = 0; at < this.#state.pages.length; at++)
        if (!(await this.#refreshPage(at, this.#state.pages[at - 1] ?? first, deps))) break;
      // Changed by another change meanwhile.
    } while ((this.#refresh as string) === "again");
    this.#refresh = "idle";
  }

  /** Returns whether the pages after it are to be loaded again too. */
  async #refreshPage(at: number, before: ListPage, deps: ListPagesDeps): Promise<boolean> {
    const search = deps.next(before);
    const outcome = search && (await this.#ask(search, "change", deps));
    if (search && (!outcome || mayPass.has(outcome.kind))) return false;
    const { pages } = this.#state;
    const isLoaded = search && outcome?.kind === "loaded";
    const shown = isLoaded ? pages.with(at, { data: outcome.data, search }) : pages.slice(0, at);
    this.#show({ ...this.#state, pages: shown });
    return true;
  }

  /** The list is no longer shown. What it has stays, for the way back. */
  stop(): void {
    for (const request of this.#requests) request.abort();
    this.#state = { ...idle, pages: this.#state.pages };
  }

  /** Undefined if the list has gone meanwhile. */
  async #ask(
    search: SearchChange,
    why: ReadReason,
    { reader, href }: ListPagesDeps,
  ): Promise<Exclude<DataOutcome, { kind: "superseded" }> | undefined> {
    const request = new AbortController();
    this.#requests.add(request);
    const onHeld = (): void => {
      if (!request.signal.aborted && this.#state.state === "loading") this.#show({ ...this.#state, state: "held" });
    };
    const outcome = await reader().then(
      (found) => found.read(href(search), { why, signal: request.signal, onHeld }),
      (): DataOutcome => ({ kind: "unreadable", reason: "missing-code", digest: undefined }),
    );
    // Not aborted later: that would end parts of the page that are still to arrive.
    this.#requests.delete(request);
    return request.signal.aborted || outcome.kind === "superseded" ? undefined : outcome;
  }

  #show(state: ListState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Another attempt may repair these. */
const mayPass: ReadonlySet<string> = new Set(["failed", "unreadable", "outdated"]);
