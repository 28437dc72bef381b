import {
  type ChangedHeader,
  type ChangedHeaders,
  constantHeaders,
  type Exchange,
  type LargeBodies,
  withChanges,
  withCookies,
} from "#http";
import type { Language, PresentLanguage } from "#routes";
import type { CacheDecision, RequestSignals, StepKind, Variant } from "#signals";
import * as pageErrors from "../errors.ts";
import { isPromiseLike } from "../tagged-json.ts";
import * as english from "../texts/english.ts";
import type { Texts } from "../texts/texts.ts";
import type { HtmlAttributes, Params, TypedAddress } from "../view.ts";
import type { TakenBody } from "./action/submission.ts";
import { AfterWork } from "./after-work.ts";
import { type Cookies, tagOf } from "./author/cookies.ts";
import type { Locals, RequestContext, RequestHook } from "./author/define.ts";
import type { ResponseHead } from "./author/response-head.ts";
import type { AfterRun, EventsSource, SitePages, VisitScope } from "./author/visit-scope.ts";
import type { SharedReads } from "./cache/shared-reads.ts";
import { inTime } from "./in-time.ts";
import { openEventStream } from "./live/event-stream.ts";
import type { Upgrade } from "./live/web-socket.ts";
import type { LoadedRoute } from "./load-route.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { admittedOrigin, readableFor } from "./other-origins.ts";
import { OwnGetters } from "./own-getters.ts";
import type { PageRequest } from "./page-request.ts";
import type { PrerenderedPage } from "./prerender/prerendered.ts";
import { ErrorLog } from "./problems/error-log.ts";
import type { KnownLoads } from "./read-target.ts";
import { LateValues } from "./send/late-values.ts";
import { hstsFor } from "./send/security-headers.ts";
import type { Site } from "./site.ts";
import { sitePages } from "./site-pages.ts";
import { type OnRead, trackContext } from "./tracked-context.ts";
import { readTypedSearch } from "./typed-search.ts";
import { isStamped, stampOf, stampOfVisitor } from "./visitor/visitor.ts";

export interface VisitExchange extends Exchange {
  readonly large: LargeBodies;
  /** If the client asks for another protocol. */
  readonly upgrade?: Upgrade | undefined;
}

export interface VisitParts {
  site: Site;
  exchange: VisitExchange;
  request: PageRequest;
  found: { route: LoadedRoute; params: Params };
  variant: Variant;
  signals: RequestSignals;
  /** The page that the build has made for this request. */
  made?: PrerenderedPage | undefined;
}

/** One page request with its state. What only some requests need is created on first use. */
export class Visit implements VisitScope {
  readonly site: Site;
  readonly exchange: VisitExchange;
  readonly request: PageRequest;
  readonly route: LoadedRoute;
  /** The texts of the address, as reports have them. */
  readonly params: Params;
  /** The same as the route's schema has read them, once its folders' guards have passed. */
  ownParams: unknown;
  readonly signals: RequestSignals;
  readonly variant: Variant;
  /** The page that the build has made for this request: then only the request hook runs. */
  readonly made: PrerenderedPage | undefined;
  /** The visitor as the application identifies them, empty if not signed in; undefined if it does not identify them. */
  visitor: string | undefined;
  /** An action succeeded but its page cannot be shown now: a visitor without script needs a notice. */
  hasUnshownResult = false;
  /** The response to a post shows this page at the address of another one's action. */
  isElsewhere = false;
  /** A hook has read something of this visitor, so it may decide by it. */
  readsInHook = false;
  /** The request hook, once it was called and until its response hooks have run. */
  hook: RequestHook<object> | undefined;
  /** Called with what guards and loads read of their request, where that matters. */
  onRead: OnRead | undefined;
  /** The posted body, once it is read. */
  posted: TakenBody | undefined;
  /** Tags and paths that the application says it has changed; undefined if it says nothing. */
  invalidated: readonly string[] | undefined;
  /** Loads whose data the browser has: they run only if it may have changed. */
  known: KnownLoads | undefined;
  /** The action to which it was sent, once it is kept. */
  keptAction: string | undefined;
  /** What the server's cache did for this request, if its page has one. */
  cached: CacheDecision | undefined;
  /** The page was rendered for all who waited for it, and failed. */
  hasSharedFailure = false;
  /** The page is rendered for all visitors: what belongs to one of them must not be read. */
  shared: SharedReads | undefined;
  /** The origin of another site's page, if this API route allows it. */
  readonly otherOrigin: string | undefined;
  #configured: readonly string[] | undefined;
  #last: Map<string, ChangedHeader> | undefined;
  #errors: ErrorLog | undefined;
  #late: LateValues | undefined;
  #after: AfterWork | undefined;
  #typed: Promise<TypedAddress> | undefined;
  #isHandled = false;

  constructor({ site, exchange, request, found, variant, signals, made }: VisitParts) {
    this.site = site;
    this.exchange = exchange;
    this.request = request;
    this.route = found.route;
    this.params = found.params;
    this.ownParams = found.params;
    this.variant = variant;
    this.signals = signals;
    this.made = made;
    this.otherOrigin = admittedOrigin(request.incoming, found.route, request.origin);
    // No code of the application sees them, not even the request hook.
    if (this.otherOrigin !== undefined) delete request.incoming.headers.cookie;
  }

  /** The constant headers, with those that the configuration changed, then the application, then its response hooks. */
  baseHeaders(): readonly string[] {
    const { chosen } = this.request;
    this.#configured ??= configuredHeaders(this.site, this.request);
    const base = chosen ? withChanges(this.#configured, chosen.headers) : this.#configured;
    return this.#last ? withChanges(base, this.#last) : base;
  }

  /** Adds changes of a response hook. */
  changeLast(changes: ChangedHeaders): void {
    if (changes.size > 0) this.#last = new Map([...(this.#last ?? []), ...changes]);
  }

  /** What the response hooks changed. */
  get last(): ChangedHeaders | undefined {
    return this.#last;
  }

  /** The language of the page: as the application chose it, or that of the configuration. */
  get html(): HtmlAttributes {
    return this.request.chosen?.html ?? this.request.language?.html ?? this.site.html;
  }

  /** The language of the address; without languages that of the page. */
  get lang(): Language {
    return this.request.language ? this.request.lang : (this.html.lang as Language);
  }

  /** Texts of the framework, in the language of the address. */
  get texts(): Texts {
    return this.request.language?.texts ?? english;
  }

  /** Where links of this request are written. */
  get present(): PresentLanguage | undefined {
    return this.request.language;
  }

  /** Headers of every response to this request, beside those of `baseHeaders`: cookies, HSTS and CORS. */
  headersToSend(): string[] {
    const { site, request, route, otherOrigin } = this;
    const headers = [...hstsFor(site.policy, request.origin)];
    if (otherOrigin !== undefined) headers.push(...readableFor(otherOrigin, route));
    return withCookies(headers, request.cookiesToSend());
  }

  redirectHeaders(): string[] {
    return [...this.baseHeaders(), ...this.headersToSend()];
  }

  /** Changes when the visitor signs in or out; part of every cache key of the browser. */
  get tag(): string {
    if (this.visitor === undefined) return this.request.sessionTag();
    return this.visitor === "" ? "" : tagOf([["visitor", this.visitor]]);
  }

  /** Stamps by which a later request recognizes this visitor: with the cookies as sent, and as they are now. */
  stamps(): string {
    const { sealKey, visitors } = this.site;
    if (this.visitor !== undefined) return stampOfVisitor(this.visitor, sealKey);
    const { sentCookies, cookies } = this.request;
    return [...new Set([sentCookies, cookies].map((one) => stampOf(one, visitors.names, sealKey)))].join("\n");
  }

  /** By the cookies alone: the hook identified the visitor before an action could change that. */
  stampNow(): string {
    return stampOf(this.request.cookies, this.site.visitors.names, this.site.sealKey);
  }

  /**
   * A stamp that the browser sends back with what it sends again. The cookies that the hook, guards and loads read are
   * known by now. If they read none, all cookies count: the action may read one.
   */
  stampForLater(): string {
    const { sealKey, visitors } = this.site;
    if (this.visitor !== undefined) return stampOfVisitor(this.visitor, sealKey);
    return stampOf(this.request.cookies, visitors.isEmpty ? undefined : visitors.names, sealKey);
  }

  isStamped(stamps: string): boolean {
    return isStamped(stamps, this.request.sentCookies, this.visitor, this.site.sealKey);
  }

  get errors(): ErrorLog {
    const { request, route, params } = this;
    this.#errors ??= new ErrorLog(
      this.site.signals,
      {
        route: route.pattern ?? "not-found",
        params,
        url: request.address + request.search,
        variant: this.variant,
      },
      // These continue without their visitor, so none of their errors is caused only by the leaving.
      (thrown, during) =>
        during !== "action" && during !== "after" && (request.isParting(thrown) || this.shared?.reason !== undefined),
      (error, digest) => this.site.onError?.(request.incoming, error, digest),
    );
    return this.#errors;
  }

  get hasFailed(): boolean {
    return this.hasSharedFailure || (this.#errors !== undefined && !this.#errors.isEmpty);
  }

  /** Resolves when every error so far would survive a crash; `undefined` when there is nothing to wait for. */
  get durable(): Promise<unknown> | undefined {
    return this.#errors?.durable;
  }

  get late(): LateValues {
    this.#late ??= new LateValues(this.request, this.errors, this.site.limits);
    return this.#late;
  }

  /** What the page's schemas read in the address. Read once. */
  typedAddress(): Promise<TypedAddress> {
    this.#typed ??= this.#readTypedAddress();
    return this.#typed;
  }

  async #readTypedAddress(): Promise<TypedAddress> {
    const { route, request, site, ownParams } = this;
    const typed = route.search
      ? await readTypedSearch(route.search, route.wrongSearch, request.url.searchParams, site.limits)
      : { defaults: {} };
    return route.params ? { ...typed, params: ownParams } : typed;
  }

  /** Called by `after`. */
  runAfter(run: AfterRun): void {
    if (!this.#after) {
      this.#after = new AfterWork(this);
      if (this.#isHandled) this.handled();
    }
    this.#after.add(run);
  }

  /** Called by `invalidate`. */
  invalidate(names: readonly string[]): void {
    this.invalidated = [...new Set([...(this.invalidated ?? []), ...names])];
  }

  /** Asked by `sitemap`. */
  get sitePages(): SitePages {
    return sitePages(this.site, this.request.origin);
  }

  /** Called by `events`. */
  openEvents(source: EventsSource): Response {
    return openEventStream(this, source);
  }

  /** The request has been handled. Its response may still be on its way. */
  handled(): void {
    this.#isHandled = true;
    this.#after?.handled(this.exchange.response);
  }

  /** The number of promises in the data so far. */
  get lateCount(): number {
    return this.#late?.count ?? 0;
  }
}

/** The headers that the configuration changes for the address. */
export function configuredChanges(
  { headersFor }: Pick<Site, "headersFor">,
  { path, language }: Pick<PageRequest, "path" | "language">,
): ChangedHeaders | undefined {
  return headersFor?.(language?.path ?? path);
}

/** The constant headers, with those that the configuration changed for the address. */
export function configuredHeaders(
  site: Pick<Site, "headersFor">,
  request: Pick<PageRequest, "path" | "language">,
): readonly string[] {
  const changes = configuredChanges(site, request);
  return changes ? withChanges(constantHeaders, changes) : constantHeaders;
}

/** Runs one step of the application's code inside its span, with the time limit of the route or of all loads. */
export function runStep<Value>(
  visit: Visit,
  kind: StepKind,
  name: string,
  run: () => Value | PromiseLike<Value>,
): MaybePromise<Value> {
  const result = visit.signals.step(kind, name, run);
  if (!isPromiseLike(result)) return result;
  const ms = (visit.route.kind === "page" ? visit.route.timeoutMs : undefined) ?? visit.site.limits.loadMs;
  return inTime(result, ms, () => {
    const late = timedOut(visit, kind, name, ms);
    visit.request.abort(late);
    return late;
  });
}

function timedOut({ route, request }: Visit, kind: StepKind, name: string, ms: number): Error {
  if (kind === "hook") return pageErrors.hookTimedOut(name === "response" ? name : "request", request.path, ms);
  return kind === "guard" ? pageErrors.guardTimedOut(name, ms) : pageErrors.loadTimedOut(route.id ?? request.path, ms);
}

/** The context of guards, loads and actions. Its getters create only what is used. */
export function contextOf(visit: Visit, locals: Locals, own: OwnContext = {}): RequestContext & { search: unknown } {
  const context = getters.defineOn(new VisitContext(visit, locals, own));
  const onRead = visit.onRead ?? visit.shared?.note;
  return onRead ? trackContext(context, onRead) : context;
}

/** Overrides of the request's own values. */
export interface OwnContext {
  params?: unknown;
  search?: unknown;
  signal?: AbortSignal;
}

class VisitContext implements RequestContext {
  readonly params: RequestContext["params"];
  readonly locals: Locals;
  readonly method: string;
  readonly lang: Language;
  readonly #site: Site;
  readonly #request: PageRequest;
  readonly #own: OwnContext;

  constructor({ site, ownParams, request, lang }: Visit, locals: Locals, own: OwnContext) {
    this.lang = lang;
    // Application code has the types of its route's schema.
    this.params = (own.params ?? ownParams) as RequestContext["params"];
    this.locals = locals;
    this.method = request.method;
    this.#site = site;
    this.#request = request;
    this.#own = own;
  }

  get url(): URL {
    return this.#request.url;
  }

  get headers(): Headers {
    return this.#request.headers;
  }

  get cookies(): Cookies {
    return this.#request.cookies;
  }

  get response(): ResponseHead {
    return this.#request.response;
  }

  get clientAddress(): string {
    return this.#site.clientOf(this.#request.incoming);
  }

  get signal(): AbortSignal {
    return this.#own.signal ?? this.#request.signal;
  }

  get search(): unknown {
    return this.#own.search ?? this.#request.url.searchParams;
  }
}

const getters = new OwnGetters(VisitContext.prototype);
