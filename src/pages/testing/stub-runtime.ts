import * as pageErrors from "../errors.ts";
import { actionMarker } from "../page-data.ts";
import { type BrowserRuntime, type NavigateOptions, type Press, setRuntime } from "../react/browser-runtime.ts";
import type { DataOutcome, PageDataReader } from "../react/data-outcome.ts";
import type { Posted } from "../react/slots.ts";

/** A page of a test, as the runtime of its document sees it. */
export interface StubbedPage {
  /** Begins the addresses of its actions. No other page that is shown has the same one. */
  readonly actionsPath: string;
  readonly address: string;
  navigate(to: string, options?: NavigateOptions): void;
  writeAddress(address: string): void;
  revalidate(): void;
  submit(press: Press): Promise<Posted>;
  /** Undefined if the test gave no function for this address. */
  load(href: string): Promise<DataOutcome> | undefined;
}

/**
 * Stands in for the browser's side of the framework while pages are shown by tests. Links, forms and fetchers know
 * their page, so several may be shown at once. A plain function such as `navigate` belongs to the document.
 */
class StubRuntime implements BrowserRuntime {
  readonly #shown = new Set<StubbedPage>();

  show(page: StubbedPage): () => void {
    // Not when this module is loaded: a page that runs in its application has a runtime already.
    setRuntime(this);
    this.#shown.add(page);
    return () => this.#shown.delete(page);
  }

  isTaken(actionsPath: string): boolean {
    return [...this.#shown].some((page) => page.actionsPath === actionsPath);
  }

  isPage(): boolean {
    return true;
  }

  navigate(to: string, options?: NavigateOptions): void {
    this.#only("navigate")?.navigate(to, options);
  }

  revalidate(): void {
    this.#only("revalidate")?.revalidate();
  }

  retry(): void {
    this.#only("retry")?.revalidate();
  }

  lost(error: unknown): void {
    throw error;
  }

  prefetch(): void {
    // Nothing is requested.
  }

  entryAdded(): void {
    // A test has no history.
  }

  watch(): () => void {
    return () => undefined;
  }

  async submit(press: Press): Promise<Posted> {
    const { pathname } = new URL(press.href, "http://a");
    const page = [...this.#shown].find(({ actionsPath }) => pathname.startsWith(actionsPath + actionMarker));
    if (!page) throw pageErrors.notInBrowser("useFetcher");
    return page.submit(press);
  }

  dataReader(): Promise<PageDataReader> {
    return Promise.resolve({
      read: async (href) => {
        for (const page of this.#shown) {
          const loaded = page.load(href);
          if (loaded) return loaded;
        }
        throw pageErrors.noLoadStub(href);
      },
      onChange: () => () => undefined,
    });
  }

  address(): string {
    return this.#only("useSearch")?.address ?? location.href;
  }

  writeAddress(address: string): void {
    this.#only("useSearch")?.writeAddress(address);
  }

  /** Undefined while the last page goes: what it still asks for is of no interest. */
  #only(caller: string): StubbedPage | undefined {
    if (this.#shown.size > 1) throw pageErrors.severalPages(caller, this.#shown.size);
    return [...this.#shown][0];
  }
}

/** One per document, as the runtime that it replaces. */
export const stubRuntime: StubRuntime = new StubRuntime();
