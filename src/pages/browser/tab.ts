import { languages } from "#routes/href";
import type { BrowserSignals } from "#signals";
import { isAffected } from "../affected.ts";
import { isCrawler } from "../crawlers.ts";
import type { BrowserLimits } from "../limits.ts";
import { slotField } from "../page-data.ts";
import type { BrowserParts } from "../parts.ts";
import { type BrowserRuntime, type NavigateOptions, type Press, pendingState } from "../react/browser-runtime.ts";
import type { PageDataReader } from "../react/data-outcome.ts";
import type { Posted } from "../react/slots.ts";
import { type ChangedNames, Changes } from "./changes.ts";
import { createClock } from "./clock.ts";
import type { DataReader } from "./data/data-reader.ts";
import {
  type DataRequest,
  fetchPageData,
  fitsPageData,
  type PageDataEvent,
  readDataLines,
} from "./data/fetch-page-data.ts";
import { type PageAnswer, withoutHash } from "./data/page-answer.ts";
import { navigationAbandoned, navigationCommitted, navigationStarted, spared } from "./data/page-freshness.ts";
import { PageSource } from "./data/page-source.ts";
import type { KnownPage, OmittedData } from "./data/shown-loads.ts";
import { submitBy } from "./deferred-tab.ts";
import { draftStorage, forgetDrafts } from "./drafts/draft-storage.ts";
import { mannerNow } from "./entry-manner.ts";
import { navigationFailed } from "./errors.ts";
import { HistoryEntries } from "./history-entries.ts";
import { isReachable, leaveTo } from "./leave.ts";
import { fullLoads } from "./ledger-storage.ts";
import type { LivePage } from "./live-page.ts";
import type { CodeLoader } from "./load-code.ts";
import { createLedger, type Ledger } from "./navigation/full-load.ts";
import { createImport, type ImportFrom } from "./navigation/import-again.ts";
import type { NavigationTarget, Source } from "./navigation/navigation-events.ts";
import { Navigations } from "./navigation/navigations.ts";
import { Traversals, unlessBlocked } from "./navigation/traversals.ts";
import { OnDemand } from "./on-demand.ts";
import type { Trigger } from "./prefetch/prefetch-queue.ts";
import { PrefetchTriggers } from "./prefetch/prefetch-triggers.ts";
import type { Presenter } from "./presentation/presentation.ts";
import { returnKey } from "./return/return-key.ts";
import { createRouteIndex, type Matchers } from "./route-index.ts";
import { setTimer } from "./set-timer.ts";
import { openAnnouncer } from "./show/announce.ts";
import { Commits } from "./show/commit-page.ts";
import { PendingSigns } from "./show/pending-signs.ts";
import type { Screen } from "./show/screen.tsx";
import { showLastResort } from "./show/signs.ts";
import { warmUpWhenIdle } from "./show/warm-up.tsx";

export interface TabDeps {
  parts: BrowserParts;
  signals: BrowserSignals;
  limits: BrowserLimits;
  code: CodeLoader;
  importFrom: ImportFrom;
  /** Only if a route names a matcher. */
  matchers?: Matchers;
  screen: Screen;
  /** Of the history entry in which the first page was shown. */
  place: number | undefined;
}

/** One tab of the application: connects the parts of the browser's side and listens to the browser. */
export class Tab implements BrowserRuntime {
  readonly #deps: TabDeps;
  readonly #clock = createClock(() => performance.now(), Date.now);
  readonly #entries: HistoryEntries;
  readonly #commits: Commits;
  readonly #source: PageSource;
  readonly #navigations: Navigations;
  readonly #traversals: Traversals;
  readonly #triggers: PrefetchTriggers;
  readonly #changes: Changes;
  readonly #pending: PendingSigns;
  readonly #routeIndex: (path: string) => number;
  readonly #ledger: Ledger;
  /** When the page has a form, or after a change. */
  readonly #live = new OnDemand(() => this.#loadLive().catch((error: unknown) => this.#tryLiveLater(error)));
  /** Before the next attempt to load it. Doubles with each failure. */
  #livePauseMs = 1_000;
  /** When the page has a fetcher. */
  readonly #reader = new OnDemand(() => this.#loadReader());
  /** When the page has loads with tags: until then every load runs. */
  readonly #loads = new OnDemand(() => this.#deps.code.import(() => import("./data/shown-loads.ts"), "knownPage"));
  /** When the page has a link that needs it, or with such a navigation. */
  readonly #presenter = new OnDemand(() => this.#loadPresenter());

  constructor(deps: TabDeps) {
    this.#deps = deps;
    const { limits, signals, parts, screen, place } = deps;
    deps.code.import = createImport(deps.importFrom);
    this.#routeIndex = createRouteIndex(parts.routes, deps.matchers);
    this.#entries = new HistoryEntries(screen.page, screen.url, place);
    const shown = (): void => this.#live.part?.shown();
    const presenter = (): Presenter | undefined => this.#presenter.part;
    this.#commits = new Commits({ build: parts.build, signals, screen, entries: this.#entries, shown, presenter });
    this.#ledger = createLedger(fullLoads, limits, Date.now);
    const now = (): number => this.#clock.now();
    this.#changes = new Changes(
      (session, only) => {
        if (only && !session) this.#spare(only);
        else this.#source.forget();
        this.#reader.part?.changed(session, only?.names);
        if (session) this.#forgetSession(true);
      },
      () => this.#settle(),
    );
    this.#source = new PageSource({
      limits,
      now,
      build: parts.build,
      signals,
      request: (request, onEvent) => this.#request(request, onEvent),
      headers: (id) => this.#navigations.headers(id),
      // A failure shows up again at the click.
      warmCode: (url) => void this.#loadRoute(url).catch(nothing),
      clock: () => this.#changes.page.clock,
      isInDoubt: (asOf) => asOf < this.#changes.page.changed,
      sessionChanged: (known) => this.#forgetSession(known),
    });
    this.#pending = new PendingSigns(limits, now, () => this.#navigations.dispatch({ kind: "retry" }));
    this.#navigations = new Navigations({
      limits,
      now,
      setTimer,
      signals,
      source: this.#source,
      ledger: this.#ledger,
      currentUrl: () => screen.url,
      judge: (to) => (new URL(to).origin !== location.origin ? "foreign" : this.#hasPage(to) ? "page" : "unknown"),
      cached: ({ how }) => (how === "traverse" ? this.#entries.cachedPage() : undefined),
      loadCode: (to, page) => this.#loadCode(to, page),
      isStyleError: (error) => /CSS/.test(String(error)),
      probe: () => isReachable(limits.probeMs),
      policy: screen.page.policy,
      commit: (target, page, source) => this.#commit(target, page, source),
      showError: (target, reason) =>
        this.#commits.fail(target, reason, (parts.folders[0]?.error ?? parts.folders[0]?.layout) !== undefined),
      fullLoad: leaveTo,
      stopLoad: () => stop(),
      broke: (error) => this.lost(error),
      changed: (state) => {
        this.#pending.changed(state);
        if (state.kind !== "idle" || this.#changes.page.navigating === undefined) return;
        this.#changes.page = navigationAbandoned(this.#changes.page);
        this.#live.part?.navigated("navigation-abandoned");
      },
    });
    this.#traversals = new Traversals(screen, this.#entries, this.#navigations, (target) => this.#start(target));
    this.#triggers = new PrefetchTriggers({
      limits,
      signals,
      isPage: (href) => this.isPage(href),
      want: (url, trigger, distance) => this.#want(url, trigger, distance),
      drop: (url) => this.#source.drop(url),
    });
    this.#triggers.scan();
    this.#settle();
    openAnnouncer();
    this.#listen();
    this.#entries.settle();
    // The browser may have moved in its history before this code listened.
    if (screen.url !== withoutHash(location.href)) this.#traversals.moved();
    screen.broke = (digest) => void (digest && this.#comeBack(digest).catch(nothing));
    // Storage may be denied, and code that did not load is requested in the next visit.
    this.#comeBack().catch(nothing);
    this.#lookForError();
    warmUpWhenIdle();
  }

  /**
   * Continues what an earlier visit has left in this browser: most have left nothing. With a digest: remembers the
   * error page, so that a later visit learns that it is repaired.
   */
  async #comeBack(digest?: string): Promise<void> {
    if (!(digest ? document.querySelector("[data-answers]") : localStorage.getItem(returnKey))) return;
    const { comeBack } = await this.#deps.code.import(() => import("./return/returns.ts"), "comeBack");
    const navigate = (to: string): void => this.navigate(to);
    comeBack({ page: () => this.#live.get(), navigate, tag: this.#tag }, digest);
  }

  readonly #tag = (): string => this.#source.tag ?? this.#deps.screen.page.preamble.tag ?? "";

  #lookForError(): void {
    const { screen } = this.#deps;
    if ("digest" in screen.page.view) screen.broke?.(screen.page.view.digest);
  }

  isPage(href: string): boolean {
    // After both the soft and the hard navigation failed, links are left to the browser: another attempt would fail
    // too.
    return !this.#deps.screen.isStranded && this.#hasPage(href);
  }

  #hasPage(href: string): boolean {
    const { origin, pathname } = new URL(href, location.href);
    return origin === location.origin && this.#deps.parts.routes[this.#routeIndex(pathname)]?.page !== undefined;
  }

  navigate(to: string, { replace, ...manner }: NavigateOptions = {}): void {
    const address = new URL(to, location.href).href;
    // While a traversal is pending, the address already belongs to another page than the one on screen.
    const currentUrl = this.#entries.away === 0 ? location.href : this.#deps.screen.url;
    const how = replace || address === currentUrl ? "replace" : "push";
    unlessBlocked(() => this.#start({ to: address, how, manner }));
  }

  retry(): void {
    this.#start({ to: location.href, how: "reload" });
  }

  revalidate(changed?: readonly string[] | null): void {
    if (changed === undefined) this.#changes.record(false);
    else this.#changes.announce(changed ?? undefined);
  }

  refresh(): void {
    const { page } = this.#changes;
    this.#changes.page = { ...page, asOf: page.refresh ? page.asOf : beforeAll };
    this.#settle();
  }

  say(text: string): (() => void) | undefined {
    return this.#live.part?.say(text);
  }

  prefetch(to: string): void {
    const url = withoutHash(new URL(to, location.href).href);
    if (this.isPage(url)) this.#want(url, "render");
  }

  /** A crawler never clicks: prefetching for it would double its requests. */
  #want(url: string, trigger: Trigger, distance?: number): void {
    if (!isCrawler(navigator.userAgent)) this.#source.want(url, trigger, distance);
  }

  entryAdded(): void {
    this.#entries.moveInPage();
  }

  watch(link: HTMLAnchorElement): () => void {
    return this.#triggers.watch(link);
  }

  submit(press: Press): Promise<Posted> {
    return submitBy(() => this.#live.get(), press, this.#deps.limits);
  }

  dataReader(): Promise<PageDataReader> {
    return this.#reader.get();
  }

  async #loadReader(): Promise<DataReader> {
    const { code, limits, screen } = this.#deps;
    const { DataReader } = await code.import(() => import("./data/data-reader.ts"), "DataReader");
    return new DataReader({
      source: this.#source,
      limits,
      setTimer,
      probe: () => isReachable(limits.probeMs),
      onceOnline: (run) => addEventListener("online", run, { once: true }),
      screen,
      report: (url, reason) => screen.report(navigationFailed(url, reason), "navigation"),
      isHidden: () => document.hidden,
      isAffected,
      // A navigation of the visitor meets the other build by itself.
      metOtherBuild: () => hasText() || this.#changes.page.navigating || this.retry(),
    });
  }

  /** React has unmounted the page, or this code has failed: only a new document can continue. */
  lost(error: unknown): void {
    const { signals } = this.#deps;
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
    const dispatch = this.#navigations.dispatch.bind(this.#navigations);
    addEventListener("popstate", () => this.#traversals.moved());
    addEventListener(
      "keydown",
      ({ key, defaultPrevented }) => key === "Escape" && !defaultPrevented && this.#traversals.cancel(),
    );
    // The code that keeps typed text may have failed to load.
    addEventListener("focusin", () => this.#live.part ?? this.#settle());
    addEventListener("online", () => {
      dispatch({ kind: "retry" });
      if (this.#live.part) this.#live.part.online();
      else this.#settle();
    });
    addEventListener("pagehide", () => {
      dispatch({ kind: "page-left" });
      this.#source.abortAll();
      this.#live.part?.left();
      this.#entries.leave();
      this.#changes.close();
    });
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      // Nothing of another user's session may be visible, not even for a moment.
      if (this.#changes.checkCookie()) {
        document.documentElement.hidden = true;
        return location.reload();
      }
      this.#entries.return();
      this.#live.part?.returned();
      dispatch({ kind: "page-returned" });
      // Other tabs may have changed something while this page was in the cache and received no messages.
      this.#changes.open();
      this.#changes.record(false);
    });
    document.addEventListener("visibilitychange", () => {
      dispatch({ kind: "tick" });
      this.#live.part?.tick();
      this.#changes.checkCookie();
      this.#reader.part?.settle();
      this.#source.sweep();
    });
  }

  #start(wanted: NavigationTarget): void {
    // Changes by documents without script make prefetched pages stale.
    this.#changes.checkCookie();
    // Where `navigator.userActivation` is missing, the navigation counts as automatic for the loop guard.
    const userInitiated = wanted.how === "traverse" || navigator.userActivation?.isActive === true;
    const target = { ...wanted, userInitiated };
    const below = this.#presenter.part?.dialogs.below;
    // The page below a dialog is still there: it is not opened a second time.
    const isStep = target.how === "traverse" || target.how === "reload";
    if (!isStep && target.to === below?.url) return this.#traversals.goTo(below.place);
    const begin = (): void => {
      this.#changes.page = navigationStarted(this.#changes.page);
      this.#live.part?.navigated("navigation-started");
      this.#navigations.dispatch({ kind: "started", target });
    };
    if (target.how === "traverse") begin();
    else this.#traversals.fromScreen(begin);
  }

  #commit(target: NavigationTarget, page: PageAnswer, source: Source): void {
    const isOld = source === "prefetched-stale" || (source === "kept" && this.#isOld(page));
    this.#commits.commit(target, page, () => {
      const asOf = isOld ? beforeAll : (page.asOf ?? 0);
      this.#changes.page = navigationCommitted(this.#changes.page, asOf, target.how === "reload");
      this.#live.part?.navigated("navigation-committed");
      this.#triggers.scan();
      this.#settle();
      this.#lookForError();
    });
  }

  /** Pages that do not depend on what has changed are as current as before. */
  #spare({ names, since }: ChangedNames): void {
    const { clock } = this.#changes.page;
    const isSpared = (page: PageAnswer): boolean => {
      const isCurrent = (page.asOf ?? 0) >= since && !isAffected(page.depends, names);
      if (isCurrent) page.asOf = clock;
      else this.#loads.part?.spareLoads(page, { names, since, clock }, isAffected);
      return isCurrent;
    };
    this.#source.forget(isSpared);
    const kept = this.#entries.pages().filter(isSpared);
    if (kept.includes(this.#deps.screen.page)) this.#changes.page = spared(this.#changes.page, since);
  }

  /**
   * Another user may be signed in: no page and no typed text is shown to them. A server that has just started knows no
   * visitor until its code has read a cookie, so the text is only hidden from an unknown visitor, not erased.
   */
  #forgetSession(known: boolean): void {
    this.#entries.forget();
    if (!known) return;
    forgetDrafts();
    this.#live.part?.forgetDrafts();
  }

  /** A page with forms, or in doubt, needs the code of `live-page.ts`. */
  #settle(): void {
    if (pendingState.readsData) this.dataReader().catch(nothing);
    const { asOf, changed } = this.#changes.page;
    if (this.#live.part) this.#live.part.settle();
    else if (asOf < changed || document.querySelector(`[name=${slotField}]`)) this.#live.get().catch(nothing);
    if (document.querySelector("a[data-dialog],a[data-transition]")) this.#withPresenter();
    if (this.#deps.screen.page.text.includes('"keys":[')) this.#loads.get().catch(nothing);
  }

  /** If it fails, pages are shown as whole pages, and the next such navigation tries again. */
  #withPresenter(): Promise<unknown> {
    return this.#presenter.get().catch(nothing);
  }

  async #loadPresenter(): Promise<Presenter> {
    const { code, screen } = this.#deps;
    const { openPresenter } = await code.import(() => import("./presentation/presentation.ts"), "openPresenter");
    return openPresenter(screen, this.#entries, () => this.#navigations.state.kind !== "idle");
  }

  /** Whether the pending navigation opens a dialog or is a view transition. */
  #needsPresenter(): boolean {
    const { state } = this.#navigations;
    if (!("target" in state)) return false;
    const { how, manner } = state.target;
    const isDialog = how === "traverse" ? mannerNow().dialog !== undefined : manner?.dialog;
    return isDialog || this.#commits.isMoving(state.target);
  }

  async #loadLive(): Promise<LivePage> {
    const { LivePage } = await this.#deps.code.import(() => import("./live-page.ts"), "LivePage");
    return new LivePage({
      ...this.#deps,
      refreshRetryMs: this.#deps.limits.refreshRetryMs,
      clock: this.#clock,
      changes: this.#changes,
      entries: this.#entries,
      source: this.#source,
      pending: this.#pending,
      setTimer,
      fitsPageData,
      linesOf: readDataLines,
      known: () => this.#known("unchanged"),
      draftStorage,
      tag: this.#tag,
      request: (request, onEvent) => this.#request(request, onEvent),
      navigate: (to) => this.navigate(to, { replace: true }),
      start: (target) => this.#start(target),
      navigations: this.#navigations,
      traversals: this.#traversals,
      lost: (error) => this.lost(error),
    });
  }

  #tryLiveLater(error: unknown): never {
    this.#livePauseMs *= 2;
    setTimeout(() => this.#settle(), this.#livePauseMs);
    throw error;
  }

  #request(request: DataRequest, onEvent: (event: PageDataEvent) => void): () => void {
    const { limits, parts } = this.#deps;
    const { build, routes } = parts;
    const asOf = this.#changes.page.clock;
    const known = this.#known(request.without);
    return fetchPageData(
      request,
      { fetch: (...to) => fetch(...to), clock: this.#clock, limits, setTimer, build, routes, asOf, known },
      onEvent,
    );
  }

  /** What a response may leave out, because it is on screen for the same visitor and is current. */
  #known(without?: OmittedData): KnownPage | undefined {
    const { page } = this.#deps.screen;
    return this.#loads.part?.knownPage(page, {
      freshness: this.#changes.page,
      tag: this.#tag(),
      now: this.#clock.now(),
      without,
    });
  }

  /**
   * Loads the code of the target. A page with typed text is not left, and a page with forms is not shown, before the
   * code that keeps text is here. A form that asks is not left before the code that asks is here.
   */
  async #loadCode(to: string, page?: PageAnswer): Promise<void> {
    if (languages) await languages.learn(to, this.#deps.parts.texts, this.#deps.code.import);
    const live = this.#live;
    const needsLive = !live.part && (pendingState.hasForms || hasText());
    const keeper = needsLive
      ? live
          .get()
          .catch(() => live.get())
          .then((part) => part.ready)
      : live.part?.ready;
    const presenter = this.#needsPresenter() && this.#withPresenter();
    await Promise.all([keeper, presenter, page ? this.#deps.code.view(page.view) : this.#loadRoute(to)]);
    if (!this.#live.part && pendingState.hasForms) await this.#live.get();
  }

  #loadRoute(url: string): Promise<void> {
    return this.#deps.code.route(this.#routeIndex(new URL(url).pathname));
  }

  #isOld(page: PageAnswer): boolean {
    return this.#clock.now() - page.sentAt >= this.#deps.limits.prefetchFreshMs;
  }
}

/** Lower than the clock of any change. */
const beforeAll = -1;

/** Whether a form of ours is filled in, wholly or in part. */
function hasText(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>(`form:has([name=${slotField}]) :is(input,textarea)`);
  return [...fields].some((field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked);
}

function nothing(): void {
  // Nothing to do.
}
