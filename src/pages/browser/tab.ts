import { createMatcher, segmentsOfId } from "#routes";
import type { BrowserSignals } from "#signals";
import { isCrawler } from "../crawlers.ts";
import type { BrowserLimits } from "../limits.ts";
import { actionMarker } from "../page-data.ts";
import type { BrowserParts } from "../parts.ts";
import { type BrowserRuntime, type NavigateOptions, type Posted, pendingState } from "../react/browser-runtime.ts";
import { openAnnouncer } from "./announce.ts";
import { createClock } from "./clock.ts";
import { Commits } from "./commit-page.ts";
import { type DataRequest, fetchPageData, type PageDataEvent } from "./fetch-page-data.ts";
import { createLedger, type Ledger } from "./full-load.ts";
import { HistoryEntries } from "./history-entries.ts";
import { isReachable, leaveTo } from "./leave.ts";
import { fullLoads } from "./ledger-place.ts";
import type { CodeLoader } from "./load-code.ts";
import { openMutations } from "./mutations.ts";
import type { Source, Target } from "./navigation-events.ts";
import { Navigations } from "./navigations.ts";
import { type Answered, type PageAnswer, withoutHash } from "./page-answer.ts";
import { PageSource } from "./page-source.ts";
import { PendingSigns } from "./pending-signs.ts";
import type { Trigger } from "./prefetch-queue.ts";
import { PrefetchTriggers } from "./prefetch-triggers.ts";
import type { Screen } from "./screen.tsx";
import { restoreScroll } from "./scroll.ts";
import { setTimer } from "./set-timer.ts";
import { showLastResort } from "./signs.ts";

export interface TabSurroundings {
  parts: BrowserParts;
  signals: BrowserSignals;
  limits: BrowserLimits;
  code: CodeLoader;
  screen: Screen;
  /** Of the history entry at which the first page was shown. */
  place: number | undefined;
}

/** One tab of the application: puts the parts of the browser's side together and listens to the browser. */
export class Tab implements BrowserRuntime {
  readonly #around: TabSurroundings;
  readonly #clock = createClock(() => performance.now(), Date.now);
  readonly #entries: HistoryEntries;
  readonly #commits: Commits;
  readonly #source: PageSource;
  readonly #navigations: Navigations;
  readonly #triggers: PrefetchTriggers;
  readonly #mutations = openMutations(() => this.#doubt());
  readonly #match;
  readonly #ledger: Ledger;
  #stopRefresh: () => void = nothing;
  #letThrough = false;
  /** What begins once the browser is back at the entry of the page that is shown. */
  #afterReturn: (() => void) | undefined;

  constructor(around: TabSurroundings) {
    this.#around = around;
    const { limits, signals, code, parts, screen, place } = around;
    this.#match = createMatcher({ routes: parts.routes.map(({ id }) => ({ segments: segmentsOfId(id) })) });
    this.#entries = new HistoryEntries(screen.page, screen.url, place);
    this.#commits = new Commits({ build: parts.build, signals, screen, entries: this.#entries });
    this.#ledger = createLedger(fullLoads, limits, Date.now);
    const now = (): number => this.#clock.now();
    this.#source = new PageSource({
      limits,
      now,
      build: parts.build,
      signals,
      request: (request, tell) => this.#request(request, tell),
      headers: (id) => this.#navigations.headers(id),
      // Should it fail, the click will tell.
      warmCode: (url) => void this.#loadRoute(url).catch(nothing),
    });
    const pending = new PendingSigns(limits, now, () => this.#navigations.happen({ kind: "retry" }));
    this.#navigations = new Navigations({
      limits,
      now,
      setTimer,
      signals,
      source: this.#source,
      ledger: this.#ledger,
      currentUrl: () => screen.url,
      judge: (to) => (new URL(to).origin !== location.origin ? "foreign" : this.#hasPage(to) ? "page" : "unknown"),
      kept: ({ how }) => (how === "traverse" ? this.#entries.keptHere() : undefined),
      loadCode: (to, page) => (page ? code.view(page.view) : this.#loadRoute(to)),
      isStyleError: (error) => /CSS/.test(String(error)),
      probe: () => isReachable(limits.probeMs),
      commit: (target, page, source) => this.#commit(target, page, source),
      showError: (target, reason) =>
        this.#commits.fail(target, reason, (parts.folders[0]?.error ?? parts.folders[0]?.layout) !== undefined),
      fullLoad: leaveTo,
      stopLoad: () => stop(),
      broke: (error) => this.lost(error),
      changed: (state) => pending.changed(state),
    });
    this.#triggers = new PrefetchTriggers({
      limits,
      signals,
      isPage: (href) => this.isPage(href),
      want: (url, trigger, distance) => this.#want(url, trigger, distance),
      drop: (url) => this.#source.drop(url),
    });
    this.#triggers.scan();
    openAnnouncer();
    this.#listen();
    this.#entries.settle();
    // The browser may have moved in its history before there was anyone to follow it.
    if (screen.url !== withoutHash(location.href)) this.#traversed();
  }

  isPage(href: string): boolean {
    // Where neither the soft nor the hard way was open, the visitor's own click is the browser's: what has failed here would fail again.
    return !this.#around.screen.isStranded && this.#hasPage(href);
  }

  #hasPage(href: string): boolean {
    const { origin, pathname } = new URL(href, location.href);
    const found = this.#match(pathname);
    return (
      origin === location.origin && found.kind === "found" && this.#around.parts.routes[found.index]?.page !== undefined
    );
  }

  navigate(to: string, { replace, keepScroll, transition }: NavigateOptions = {}): void {
    const address = new URL(to, location.href).href;
    const manner = { ...(keepScroll && { keepScroll }), ...(transition && { transition }) };
    // While a step back is pending, the address is that of another page than the one that is shown.
    const here = this.#entries.away === 0 ? location.href : this.#around.screen.url;
    const how = replace || address === here ? "replace" : "push";
    this.#unlessBlocked(() => this.#start({ to: address, how, manner }));
  }

  retry(): void {
    this.#start({ to: location.href, how: "reload" });
  }

  revalidate(): void {
    this.#source.forget();
    this.#refresh();
  }

  prefetch(to: string): void {
    const url = withoutHash(new URL(to, location.href).href);
    if (this.isPage(url)) this.#want(url, "render");
  }

  /** A crawler reads what it is shown and never clicks: to fetch ahead for it would double its requests. */
  #want(url: string, trigger: Trigger, distance?: number): void {
    if (!isCrawler(navigator.userAgent)) this.#source.want(url, trigger, distance);
  }

  watch(link: HTMLAnchorElement): () => void {
    return this.#triggers.watch(link);
  }

  submit(href: string, form: FormData): void {
    const { action, page } = actionAt(href);
    const { state } = this.#navigations;
    // The same form twice while it is being sent is one sending.
    const same = (state.kind === "loading" || state.kind === "probing") && state.target.body?.action === action;
    if (!same) this.#start({ to: page, how: "submit", body: { action, form } });
  }

  post(href: string, body: FormData): Promise<Posted> {
    const { promise, resolve } = Promise.withResolvers<Posted>();
    const before = this.#around.screen.page;
    this.#request({ url: actionAt(href).action, headers: {}, prefetch: false, body }, (event) => {
      if (event.kind === "failed") resolve(event.to === undefined ? { kind: "failed" } : this.#sendOn(event.to));
      if (event.kind === "answered") resolve(this.#outcomeOf(event.answer, before));
    });
    return promise;
  }

  /** React has let go of the page, or we have failed ourselves: a whole new document is the only way on. */
  lost(error: unknown): void {
    const { signals } = this.#around;
    const url = location.href;
    const reason = "broken-runtime";
    signals.errorCaught(error, { side: "browser", during: "navigation", url, visitorSaw: "last-resort" });
    const allowed = this.#ledger.mayLoad(url, reason);
    signals.fullLoadChosen({ url, reason, allowed });
    if (!allowed) return showLastResort();
    this.#ledger.note(url, reason);
    location.reload();
  }

  #listen(): void {
    const happen = this.#navigations.happen.bind(this.#navigations);
    addEventListener("popstate", () => this.#traversed());
    addEventListener("keydown", ({ key, defaultPrevented }) => key === "Escape" && !defaultPrevented && this.#escape());
    addEventListener("online", () => {
      const { state } = this.#navigations;
      // A form may have been received although its answer was lost: only the visitor sends it again.
      if (state.kind !== "idle" && state.target.body === undefined) happen({ kind: "retry" });
    });
    addEventListener("pagehide", () => {
      happen({ kind: "page-left" });
      this.#source.abortAll();
      this.#entries.leave();
      this.#mutations.close();
    });
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      this.#entries.return();
      happen({ kind: "page-returned" });
      // Other tabs may have changed something while this one could not hear it.
      this.#mutations.reopen();
      this.#doubt();
      if (this.#isOld(this.#around.screen.page)) this.#refresh();
    });
    document.addEventListener("visibilitychange", () => {
      happen({ kind: "tick" });
      this.#source.sweep();
    });
  }

  #start(wanted: Target): void {
    this.#stopRefresh();
    // A browser that cannot tell whether its visitor has just acted leaves the loop guard counting.
    const asked = wanted.how === "traverse" || navigator.userActivation?.isActive === true;
    const target = { ...wanted, asked };
    const begin = (): void => this.#navigations.happen({ kind: "started", target });
    const { away } = this.#entries;
    if (away === 0 || target.how === "traverse") begin();
    else this.#startFromHere(away, begin);
  }

  /** A step back is pending: what the visitor does instead follows the page that they see, and what lay behind Forward must not be lost. */
  #startFromHere(away: number, begin: () => void): void {
    this.#navigations.happen({ kind: "set-aside" });
    const isOnTheWay = this.#afterReturn !== undefined;
    this.#afterReturn = begin;
    if (isOnTheWay) return;
    history.go(away);
    // A browser that says nothing of its return does not keep the visitor waiting.
    setTimer(() => this.#returned(), returnMs);
  }

  #returned(): void {
    const begin = this.#afterReturn;
    this.#afterReturn = undefined;
    begin?.();
  }

  #commit(target: Target, page: PageAnswer, source: Source): void {
    const doubtful = source === "kept" && (this.#isOld(page) || !this.#entries.isGood(page));
    this.#commits.commit(target, page, () => {
      this.#triggers.scan();
      if (source === "prefetched-stale" || doubtful) this.#refresh();
    });
  }

  #unlessBlocked(leave: () => void): void {
    const [blocker] = pendingState.blockers;
    if (blocker) blocker(leave);
    else leave();
  }

  /** The browser has moved in its history. The address is the other page's already, what is shown is not. */
  #traversed(): void {
    if (this.#afterReturn) this.#returned();
    else if (this.#around.screen.url === withoutHash(location.href)) this.#stay();
    else if (pendingState.blockers.size === 0 || this.#letThrough) {
      this.#letThrough = false;
      this.#start({ to: location.href, how: "traverse" });
    } else {
      const { away } = this.#entries;
      history.go(away);
      this.#unlessBlocked(() => {
        this.#letThrough = true;
        history.go(-away);
      });
    }
  }

  /** Moved inside the page, or back to it before the other one was shown. */
  #stay(): void {
    if (this.#navigations.state.kind !== "idle") this.#navigations.happen({ kind: "escape" });
    this.#entries.stay();
    const scroll = this.#entries.scrollHere();
    if (scroll) restoreScroll(scroll);
  }

  #escape(): void {
    const { away } = this.#entries;
    const { kind } = this.#navigations.state;
    this.#navigations.happen({ kind: "escape" });
    if (away !== 0 && (kind === "loading" || kind === "probing")) history.go(away);
  }

  /** Fetches what is shown anew, behind the visitor's back: whatever fails leaves the page as it is. */
  #refresh(): void {
    this.#stopRefresh();
    const { page, url } = this.#around.screen;
    this.#stopRefresh = this.#request({ url, headers: {}, prefetch: false }, (event) => {
      if (event.kind === "failed" && event.reason === "build-mismatch") this.#source.outdate();
      if (event.kind !== "answered") return;
      const { answer } = event;
      if (answer.kind === "redirect") this.navigate(answer.to, { replace: true });
      else if (answer.status < 500) void this.#swap(page, answer);
    });
  }

  /** Shows other data of the page in its place, if it is still that page and the data differs. */
  async #swap(before: PageAnswer, page: PageAnswer): Promise<void> {
    const { screen, code } = this.#around;
    await code.view(page.view).catch(nothing);
    if (screen.page !== before) return;
    // What arrives late cannot be compared by its text.
    if (page.text !== before.text || page.text.includes('["~p"')) screen.show(page, screen.url);
    else before.sentAt = page.sentAt;
    this.#entries.keep(screen.page);
  }

  #outcomeOf(answer: Answered, before: PageAnswer): Posted {
    if (answer.kind === "redirect") return this.#sendOn(answer.to);
    const { view } = answer;
    if (view.kind === "error") return { kind: "failed", digest: view.digest };
    if (view.kind === "not-found" || !view.form) return { kind: "failed" };
    // The answer has the page as it is now; the outcome is for the caller alone.
    const { form, ...rest } = view;
    if (form.outcome.kind === "done") void this.#swap(before, { ...answer, view: rest });
    return form.outcome;
  }

  #sendOn(to: string): Posted {
    this.navigate(to);
    return { kind: "redirected", to };
  }

  #request(request: DataRequest, tell: (event: PageDataEvent) => void): () => void {
    const { limits, parts } = this.#around;
    const { build, routes } = parts;
    const around = { fetch: (...to: Parameters<typeof fetch>) => fetch(...to), clock: this.#clock, limits, setTimer };
    const send = (hear: typeof tell): (() => void) => fetchPageData(request, { ...around, build, routes }, hear);
    return request.body === undefined ? send(tell) : this.#noting(send, tell);
  }

  /** A request with a body has changed something when it is answered, whatever the answer is, and may have when no answer comes. */
  #noting(
    send: (hear: (event: PageDataEvent) => void) => () => void,
    tell: (event: PageDataEvent) => void,
  ): () => void {
    let noted = false;
    const note = (): void => {
      if (!noted) this.#mutated();
      noted = true;
    };
    const stop = send((event) => {
      // Before anything is shown of it.
      if (event.kind === "answered" || event.kind === "failed") note();
      tell(event);
    });
    return () => {
      note();
      stop();
    };
  }

  async #loadRoute(url: string): Promise<void> {
    const found = this.#match(new URL(url).pathname);
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

  #isOld(page: PageAnswer): boolean {
    return this.#clock.now() - page.sentAt >= this.#around.limits.prefetchFreshMs;
  }
}

/** The page that an action belongs to. Its search stays the one that is shown, so that the answer shows the same page. */
function actionAt(href: string): { action: string; page: string } {
  const url = new URL(href, location.href);
  if (url.search === "") url.search = location.search;
  const page = new URL(url);
  page.pathname = url.pathname.slice(0, url.pathname.lastIndexOf(actionMarker)) || "/";
  return { action: url.href, page: page.href };
}

/** A step in the history takes a browser some milliseconds. */
const returnMs = 1_000;

function nothing(): void {
  // There is nothing to stop.
}
