import type { EarlyLimits } from "../early-limits.ts";
import { type BrowserRuntime, type NavigateOptions, type Press, runtimeIfRunning } from "../react/browser-runtime.ts";
import type { PageDataReader } from "../react/data-outcome.ts";
import type { Posted } from "../react/slots.ts";
import { withoutHash } from "./data/page-answer.ts";
import { isReachable, leaveTo } from "./leave.ts";
import { showConnectionLost, showLastResort, showPending } from "./show/signs.ts";

/** The first input of the visitor. Scrolling and reading alone load nothing. */
const signsOfLife = ["pointermove", "pointerdown", "focusin", "keydown"] as const;

/**
 * Placeholder for the tab until its code has loaded. The first page does not need most of the navigation code, so that
 * code is loaded when the browser is idle or with the first movement of the pointer. An earlier click waits for it,
 * within the same deadline as any route's code.
 */
export class DeferredTab implements BrowserRuntime {
  readonly #limits: EarlyLimits;
  readonly #load: () => Promise<BrowserRuntime>;
  #loading: Promise<BrowserRuntime> | undefined;
  /** Before the next attempt to load it. Doubles with each failure. */
  #pauseMs = 1_000;
  /** Counts the visitor's requests: only the latest is executed. */
  #turn = 0;
  /** The browser is loading another document. A new request of the visitor stops that load. */
  #leaving = false;
  /** Address that the visitor waits for. The same link again is the same request: it would postpone the first. */
  #awaited: string | undefined;

  constructor(limits: EarlyLimits, load: () => Promise<BrowserRuntime>) {
    this.#limits = limits;
    this.#load = load;
    for (const sign of signsOfLife) addEventListener(sign, () => this.wake(), { once: true });
    // After a reload, the entries that this tab pushed earlier still belong to one document for the browser: it moves
    // among them and loads nothing. The tab notices by itself, once it has loaded, where the browser is.
    const pageUrl = withoutHash(location.href);
    addEventListener("popstate", () => {
      const to = location.href;
      if (runtimeIfRunning() === this && withoutHash(to) !== pageUrl) this.#inTurn(nothing, { to, how: "replace" });
    });
    addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      this.#drop();
      showPending(false);
    });
  }

  wake(): void {
    this.#quietly(nothing);
  }

  /** The routes arrive with the tab: until then any same-origin address may be a page. */
  isPage(): boolean {
    return true;
  }

  navigate(to: string, options?: NavigateOptions): void {
    const target = { to: new URL(to, location.href).href, how: options?.replace ? "replace" : "push" } as const;
    this.#inTurn((tab) => (tab.isPage(target.to) ? tab.navigate(to, options) : leaveTo(target)), target);
  }

  submit(press: Press): Promise<Posted> {
    return submitBy(() => this.#wake(), press, this.#limits);
  }

  async dataReader(): Promise<PageDataReader> {
    return (await this.#wake()).dataReader();
  }

  revalidate(changed?: readonly string[] | null): void {
    this.#quietly((tab) => tab.revalidate(changed));
  }

  retry(): void {
    this.navigate(location.href, { replace: true });
  }

  lost(error: unknown): void {
    this.#wake().then((tab) => tab.lost(error), showLastResort);
  }

  prefetch(to: string): void {
    this.#quietly((tab) => tab.prefetch(to));
  }

  /** The tab numbers the entry at which it finds the browser. */
  entryAdded(): void {
    this.wake();
  }

  watch(link: HTMLAnchorElement): () => void {
    let stop: (() => void) | undefined;
    let stopped = false;
    this.#quietly((tab) => {
      if (!stopped) stop = tab.watch(link);
    });
    return () => {
      stopped = true;
      stop?.();
    };
  }

  #wake(): Promise<BrowserRuntime> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      // The page may wait for the outcome of a form, which only this code asks for.
      this.#pauseMs *= 2;
      setTimeout(() => this.wake(), this.#pauseMs);
      throw error;
    });
    return this.#loading;
  }

  /** For work the visitor does not wait for: a failure is dropped, and the next caller tries again. */
  #quietly(use: (tab: BrowserRuntime) => void): void {
    this.#wake().then(use, nothing);
  }

  /**
   * For work the visitor waits for. A later request replaces an earlier one, and Escape cancels it. `target` is loaded
   * as a document if the tab cannot be loaded.
   */
  #inTurn(use: (tab: BrowserRuntime) => void, target: LeaveTarget): void {
    if (target.to === this.#awaited) return;
    const turn = this.#drop();
    this.#awaited = target.to;
    const isLatest = (): boolean => turn === this.#turn;
    const sign = setTimeout(() => isLatest() && showPending(true), this.#limits.pendingSignMs);
    const over = (then: () => void): void => {
      clearTimeout(sign);
      if (!isLatest()) return;
      this.#awaited = undefined;
      showPending(false);
      then();
    };
    inTime(this.#wake(), this.#limits).then(
      (tab) => over(() => use(tab)),
      () => over(() => this.#leaveWhenReachable(use, target, isLatest)),
    );
  }

  /**
   * A full load needs only a server, none of our code. So the page stays until the server is reachable. After an
   * outage the code is tried again first: a full load would lose what was typed.
   */
  async #leaveWhenReachable(
    use: (tab: BrowserRuntime) => void,
    target: LeaveTarget,
    isLatest: () => boolean,
  ): Promise<void> {
    const { probeMs, retryMs } = this.#limits;
    let tries = 0;
    for (; !(await isReachable(probeMs)); tries++) {
      if (!isLatest()) break;
      await new Promise<void>((resolve) => {
        showConnectionLost("page", resolve);
        addEventListener("online", () => resolve(), { once: true });
        setTimeout(resolve, retryMs[tries] ?? retryMs.at(-1));
      });
    }
    showConnectionLost();
    if (!isLatest()) return;
    if (tries) return this.#inTurn(use, target);
    this.#leaving = true;
    this.#awaited = target.to;
    showPending(true);
    leaveTo(target);
    // A download or a response without content leaves the page in place and usable.
    setTimeout(() => {
      if (!isLatest()) return;
      this.#awaited = undefined;
      showPending(false);
    }, this.#limits.handOverWatchMs);
  }

  /** Ends the visitor's latest request. Returns the number of the next one. */
  #drop(): number {
    if (this.#leaving) stop();
    this.#leaving = false;
    this.#awaited = undefined;
    return ++this.#turn;
  }
}

interface LeaveTarget {
  to: string;
  how: "push" | "replace";
}

function nothing(): void {
  // Nothing to do.
}

function inTime<Thing>(coming: Promise<Thing>, { routeLoadMs }: EarlyLimits): Promise<Thing> {
  return Promise.race([coming, new Promise<never>((_, reject) => setTimeout(reject, routeLoadMs))]);
}

/**
 * Sends a form with code that may have to be loaded first. If loading fails twice although the server is reachable, the
 * browser itself sends the form.
 */
export async function submitBy(
  load: () => Promise<Pick<BrowserRuntime, "submit">>,
  press: Press,
  limits: EarlyLimits,
): Promise<Posted> {
  for (let failures = 0; failures < 2; ) {
    const sender = await inTime(load(), limits).catch(nothing);
    if (sender) return sender.submit(press);
    if (await isReachable(limits.probeMs)) failures += 1;
    else {
      await new Promise<void>((resolve) => showConnectionLost("form", resolve));
      showConnectionLost();
    }
  }
  const { element, submitter } = press;
  if (element) {
    element.dataset.hard = "";
    element.requestSubmit(submitter);
  }
  return { kind: "failed", status: 503 };
}
