import type { Matcher } from "#routes";
import type { BrowserSignals } from "#signals";
import type { BrowserLimits } from "../limits.ts";
import { actionMarker } from "../page-data.ts";
import type { BrowserParts } from "../parts.ts";
import type { Blocker, BrowserRuntime, NavigateOptions, NavigationSnapshot, Posted } from "../react/browser-runtime.ts";
import { createClock } from "./clock.ts";
import { type DataRequest, fetchPageData, type PageDataEvent } from "./fetch-page-data.ts";
import { createLedger } from "./full-load.ts";
import { HistoryEntries } from "./history-entries.ts";
import { isReachable, leaveTo, ledgerPlace } from "./leave.ts";
import type { CodeLoader } from "./load-code.ts";
import { openMutations } from "./mutations.ts";
import type { NavigationState, Target } from "./navigation-record.ts";
import { Navigations } from "./navigations.ts";
import type { PageAnswer } from "./page-answer.ts";
import { PageSource, withoutHash } from "./page-source.ts";
import { PrefetchTriggers } from "./prefetch-triggers.ts";
import { restoreScroll } from "./scroll.ts";
import { ShownPage } from "./shown-page.ts";
import { showConnectionLost, showPending } from "./signs.ts";

export interface TabSurroundings {
  parts: BrowserParts;
  signals: BrowserSignals;
  limits: BrowserLimits;
  code: CodeLoader;
  match: Matcher;
}

/** One tab of the application: puts the parts of the browser's side together and listens to the browser. */
export class Tab implements BrowserRuntime {
  readonly #around: TabSurroundings;
  readonly #clock = createClock(() => performance.now(), Date.now);
  readonly #entries = new HistoryEntries();
  readonly #source: PageSource;
  readonly #navigations: Navigations;
  readonly #triggers: PrefetchTriggers;
  readonly #mutations = openMutations(() => this.#doubt());
  readonly #listeners = new Set<() => void>();
  readonly #blockers = new Set<Blocker>();
  #shown: ShownPage | undefined;
  #snapshot: NavigationSnapshot = { state: "idle" };
  #cancelSign: () => void = nothing;
  #stopRefresh: () => void = nothing;
  #letThrough = false;

  constructor(around: TabSurroundings) {
    this.#around = around;
    const { limits, signals, code, parts } = around;
    const now = (): number => this.#clock.now();
    this.#source = new PageSource({
      limits,
      now,
      build: parts.build,
      signals,
      request: (request, tell) => this.#request(request, tell),
      headers: (id) => this.#navigations.headers(id),
      // A prefetch may fail; the click will tell.
      warmCode: (url) => void this.#loadRoute(url).catch(nothing),
    });
    this.#navigations = new Navigations({
      limits,
      now,
      setTimer,
      signals,
      source: this.#source,
      ledger: createLedger(ledgerPlace, limits, Date.now),
      currentUrl: () => this.#shown?.url ?? location.href,
      judge: (to) => (new URL(to).origin !== location.origin ? "foreign" : this.isPage(to) ? "page" : "unknown"),
      kept: ({ how }) => (how === "traverse" ? this.#entries.keptHere() : undefined),
      loadCode: (to, page) => (page ? code.view(page.view) : this.#loadRoute(to)),
      isStyleError: (error) => error instanceof Error && /CSS/.test(error.message),
      probe: () => isReachable(limits.probeMs),
      commit: (target, page, source) => {
        this.#shown?.commit(target, page);
        if (target.body) this.#mutated();
        const old = now() - page.sentAt >= limits.prefetchFreshMs;
        if (source === "prefetched-stale" || (source === "kept" && (old || !this.#entries.isGood(page))))
          this.#refresh();
      },
      showError: (target, reason) => this.#shown?.fail(target, reason, parts.folders[0]?.error !== undefined),
      fullLoad: leaveTo,
      stopLoad: () => stop(),
      broke: (error) => this.#lost(error),
      changed: (state) => this.#changed(state),
    });
    this.#triggers = new PrefetchTriggers({
      limits,
      signals,
      isPage: (href) => this.isPage(href),
      want: (url, trigger, distance) => this.#source.want(url, trigger, distance),
      drop: (url) => this.#source.drop(url),
    });
  }

  /** Makes the first page alive and begins to listen. */
  open(page: PageAnswer, back: string | undefined): void {
    const { parts, signals, code } = this.#around;
    this.#shown = new ShownPage({ ...page, sentAt: this.#clock.now() }, back, {
      build: parts.build,
      signals,
      code,
      entries: this.#entries,
      retry: () => this.#start({ to: location.href, how: "reload" }),
      lost: (error) => this.#lost(error),
      changed: () => this.#triggers.scan(),
    });
    this.#triggers.scan();
    const scroll = this.#entries.scrollHere();
    if (scroll) restoreScroll(scroll);
    this.#listen();
  }

  isPage(href: string): boolean {
    const { origin, pathname } = new URL(href, location.href);
    const found = origin === location.origin ? this.#around.match(pathname) : undefined;
    return found?.kind === "found" && this.#around.parts.table.routes[found.index]?.kind === "page";
  }

  navigate(to: string, { replace, keepScroll, transition }: NavigateOptions = {}): void {
    const address = new URL(to, location.href).href;
    const manner = { ...(keepScroll && { keepScroll }), ...(transition && { transition }) };
    this.#unlessBlocked(() =>
      this.#start({ to: address, how: replace || address === location.href ? "replace" : "push", manner }),
    );
  }

  revalidate(): void {
    this.#source.forget();
    this.#refresh();
  }

  prefetch(to: string): void {
    const url = withoutHash(new URL(to, location.href).href);
    if (this.isPage(url)) this.#source.want(url, "render");
  }

  watch(link: HTMLAnchorElement): () => void {
    return this.#triggers.watch(link);
  }

  submit(href: string, form: FormData): boolean {
    const { action, to } = this.#actionAt(href);
    if (!this.isPage(to)) return false;
    const { state } = this.#navigations;
    // The same form twice while it is being sent is one sending.
    const same = (state.kind === "loading" || state.kind === "probing") && state.target.body?.action === action;
    if (!same) this.#start({ to, how: "submit", body: { action, form } });
    return true;
  }

  post(href: string, body: FormData): Promise<Posted> {
    const { action } = this.#actionAt(href);
    const { promise, resolve } = Promise.withResolvers<Posted>();
    const shown = this.#shown?.page;
    this.#request({ url: action, headers: {}, prefetch: false, body }, (event) => {
      if (event.kind === "failed") {
        if (event.to !== undefined) this.navigate(event.to);
        resolve(event.to === undefined ? { kind: "failed" } : { kind: "redirected", to: event.to });
      }
      if (event.kind !== "answered") return;
      this.#mutated();
      resolve(this.#outcomeOf(event.answer, shown));
    });
    return promise;
  }

  block(blocker: Blocker): () => void {
    this.#blockers.add(blocker);
    // Only while there is something to lose: the listener keeps the page out of the back/forward cache.
    if (this.#blockers.size === 1) addEventListener("beforeunload", askFirst);
    return () => {
      this.#blockers.delete(blocker);
      if (this.#blockers.size === 0) removeEventListener("beforeunload", askFirst);
    };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  snapshot(): NavigationSnapshot {
    return this.#snapshot;
  }

  #listen(): void {
    addEventListener("popstate", () => this.#traversed());
    addEventListener("keydown", (event) => event.key === "Escape" && this.#escape());
    addEventListener("online", () => this.#navigations.happen({ kind: "retry" }));
    addEventListener("pagehide", () => {
      this.#navigations.happen({ kind: "page-left" });
      this.#source.abortAll();
      this.#entries.leave();
      this.#mutations.close();
    });
    addEventListener("pageshow", ({ persisted }) => {
      this.#entries.return();
      if (!persisted) return;
      this.#navigations.happen({ kind: "page-returned" });
      // Other tabs may have changed something while this one could not hear it.
      this.#mutations.reopen();
      this.#doubt();
      if (this.#isOld()) this.#refresh();
    });
    document.addEventListener("visibilitychange", () => {
      this.#navigations.happen({ kind: "tick" });
      this.#source.sweep();
    });
  }

  #start(target: Target): void {
    this.#stopRefresh();
    this.#navigations.happen({ kind: "started", target });
  }

  #unlessBlocked(leave: () => void): void {
    const [blocker] = this.#blockers;
    if (blocker) blocker(leave);
    else leave();
  }

  /** The browser has moved in its history. The address is the other page's already, what is shown is not. */
  #traversed(): void {
    const entries = this.#entries;
    if (this.#shown?.url === withoutHash(location.href)) {
      // Inside the page, or back to it before the other one was shown.
      if (this.#navigations.state.kind !== "idle") this.#navigations.happen({ kind: "escape" });
      entries.stay();
      const scroll = entries.scrollHere();
      if (scroll) restoreScroll(scroll);
      return;
    }
    const go = (): void => this.#start({ to: location.href, how: "traverse" });
    if (this.#blockers.size === 0 || this.#letThrough) {
      this.#letThrough = false;
      go();
      return;
    }
    const { away } = entries;
    history.go(away);
    this.#unlessBlocked(() => {
      this.#letThrough = true;
      history.go(-away);
    });
  }

  #escape(): void {
    const { away } = this.#entries;
    const pending = this.#navigations.state.kind === "loading" || this.#navigations.state.kind === "probing";
    this.#navigations.happen({ kind: "escape" });
    if (pending && away !== 0) history.go(away);
  }

  /** Fetches what is shown anew, behind the visitor's back: whatever fails leaves the page as it is. */
  #refresh(): void {
    this.#stopRefresh();
    const shown = this.#shown;
    if (!shown) return;
    const { page } = shown;
    const stop = this.#request({ url: shown.url, headers: {}, prefetch: false }, (event) => {
      if (event.kind !== "answered" || shown.page !== page) return;
      const { answer } = event;
      if (answer.kind === "redirect") this.navigate(answer.to, { replace: true });
      else if (answer.status < 500) void this.#swap(page, answer);
    });
    this.#stopRefresh = stop;
  }

  async #swap(before: PageAnswer, page: PageAnswer): Promise<void> {
    // What arrives late cannot be compared by its text.
    const same = page.text === before.text && !page.text.includes('["~p"');
    if (same) {
      before.sentAt = page.sentAt;
      return;
    }
    await this.#around.code.view(page.view);
    if (this.#shown?.page === before) this.#shown.replace(page);
  }

  #outcomeOf(answer: Extract<PageDataEvent, { kind: "answered" }>["answer"], before: PageAnswer | undefined): Posted {
    if (answer.kind === "redirect") {
      this.navigate(answer.to);
      return { kind: "redirected", to: answer.to };
    }
    const { view } = answer;
    if (view.kind === "error") return { kind: "failed", ...(view.digest !== undefined && { digest: view.digest }) };
    if (view.kind === "not-found" || !view.form) return { kind: "failed" };
    // The answer has the page as it is now; the outcome is for the caller alone.
    const { form, ...rest } = view;
    if (before) void this.#swap(before, { ...answer, view: rest });
    return form.outcome;
  }

  #actionAt(href: string): { action: string; to: string } {
    const url = new URL(href, location.href);
    if (url.search === "") url.search = location.search;
    const marker = url.pathname.lastIndexOf(actionMarker);
    const to = new URL(url);
    to.pathname = marker < 0 ? actionMarker : url.pathname.slice(0, marker) || "/";
    return { action: url.href, to: to.href };
  }

  #request(request: DataRequest, tell: (event: PageDataEvent) => void): () => void {
    const { parts, limits } = this.#around;
    return fetchPageData(
      request,
      {
        fetch: (...args) => fetch(...args),
        clock: this.#clock,
        limits,
        setTimer,
        build: parts.build,
        table: parts.table,
      },
      tell,
    );
  }

  async #loadRoute(url: string): Promise<void> {
    const found = this.#around.match(new URL(url).pathname);
    if (found.kind === "found") await this.#around.code.route(found.index);
  }

  #mutated(): void {
    this.#doubt();
    this.#mutations.tell();
  }

  #doubt(): void {
    this.#source.forget();
    this.#entries.doubtAll();
  }

  #isOld(): boolean {
    const { page } = this.#shown ?? {};
    return page !== undefined && this.#clock.now() - page.sentAt >= this.#around.limits.prefetchFreshMs;
  }

  /** React has let go of the page, or we have failed ourselves: a whole new document is the only way on. */
  #lost(error: unknown): void {
    const { signals, limits } = this.#around;
    signals.errorCaught(error, {
      side: "browser",
      during: "navigation",
      url: location.href,
      visitorSaw: "last-resort",
    });
    const ledger = createLedger(ledgerPlace, limits, Date.now);
    const allowed = ledger.mayLoad(location.href, "broken-runtime");
    signals.fullLoadChosen({ url: location.href, reason: "broken-runtime", allowed });
    if (!allowed) return;
    ledger.note(location.href, "broken-runtime");
    location.reload();
  }

  #changed(state: NavigationState<PageAnswer>): void {
    this.#cancelSign();
    const pending = state.kind === "loading" || state.kind === "probing" || state.kind === "leaving";
    this.#cancelSign = nothing;
    if (pending) {
      const left = state.startedAt + this.#around.limits.pendingSignMs - this.#clock.now();
      this.#cancelSign = setTimer(() => showPending(true), left);
    } else showPending(false);
    const held = state.kind === "held" ? (state.target.body ? "form" : "page") : undefined;
    if (held || this.#snapshot.state === "held")
      showConnectionLost(held, () => this.#navigations.happen({ kind: "retry" }));
    this.#snapshot = toSnapshot(state);
    for (const listener of this.#listeners) listener();
  }
}

function toSnapshot(state: NavigationState<PageAnswer>): NavigationSnapshot {
  if (state.kind === "idle") return { state: "idle" };
  const { to, body } = state.target;
  const said = state.kind === "held" || state.kind === "leaving" ? state.kind : body ? "submitting" : "loading";
  return { state: said, target: body?.action ?? to, startedAt: state.startedAt, ...(body && { form: body.form }) };
}

function setTimer(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, Math.max(0, ms));
  return () => clearTimeout(timer);
}

function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function nothing(): void {
  // There is nothing to stop.
}
