import { digestOfHex, jsonItem, writeEnvelope } from "#protocol";
import type {
  ErrorPlace,
  FullLoadReason,
  NavigationFacts,
  NavigationOutcome,
  PrefetchOutcome,
  ShownFacts,
} from "#signals";
import { Breadcrumbs } from "../breadcrumbs.ts";
import { clientLimits } from "../client-limits.ts";
import { safeText, textAt } from "../describe/describe-thrown.ts";
import type { EarlyError, EarlyErrors } from "../early-errors.ts";
import { judgeNavigation } from "../filters/judge-trace.ts";
import { createLogBuffer, type LogBuffer } from "../log-buffer.ts";
import { LossCounter } from "../loss-counter.ts";
import { readPattern } from "../pattern-text.ts";
import { type ErrorContext, type Report, type ReporterDeps, reportError, reportMessage } from "../report-error.ts";
import type { About, Attributes, Level, User } from "../report-types.ts";
import { browserSdk } from "../sdk.ts";
import type { Identity } from "../trace/identity.ts";
import { reportTrace } from "../trace/report-trace.ts";
import { quickId, type Span, TraceSegment } from "../trace/trace.ts";
import type { WireMechanism } from "../wire.ts";
import { rememberHandOver, takeHandOver } from "./hand-over.ts";
import { openNavigationBook } from "./navigation-book.ts";
import { type NavigationTrace, openNavigationTrace } from "./navigation-trace.ts";
import { addLoadingSpans, navigationTiming, openPageLoad } from "./page-load.ts";
import { PageSession } from "./page-session.ts";
import { Post } from "./post.ts";
import type { CallContext, Captured, EndedSpan, NewTrace, PrefetchUse, ReporterCalls } from "./reporter-calls.ts";
import { scriptOwners } from "./script-owners.ts";
import type { ShownPages } from "./shown-pages.ts";
import { watchPage } from "./watch.ts";

/** A page that stays open sends its trace after this time; later vitals are not included. */
const pageLoadMs = 30_000;
/** Requests and long tasks within this time after a commit belong to its navigation. */
const afterCommitMs = 1_000;
/** An error in a loop is sent at most this many times; further ones are counted. */
const sameErrorAtMost = 5;

/** The browser's side of reporting. It loads after hydration, and then receives the calls queued before. */
export class Reporter implements ReporterCalls {
  readonly #deps: ReporterDeps;
  readonly #post: Post;
  readonly #steps = new Breadcrumbs(clientLimits.steps);
  readonly #logs: LogBuffer;
  readonly #session: PageSession;
  readonly #source: string;
  #books: Promise<ShownPages> | undefined;
  readonly #reported = new WeakSet<object>();
  readonly #sameErrors = new Map<string, number>();
  readonly #navigations = new Map<number, NavigationTrace>();
  readonly #book = openNavigationBook(now);
  readonly #prefetches = new Map<string, { trace: NewTrace; startMs: number }>();
  /** The current trace, and how to send it when it is complete. */
  #current: { segment: TraceSegment; finish: (() => void) | undefined };
  #facts: Record<string, unknown> = {};
  #route: string | undefined;
  #user: User | undefined;

  constructor(early: EarlyErrors) {
    const { settings } = early;
    const losses = new LossCounter();
    const fetch = globalThis.fetch.bind(globalThis);
    const limits = clientLimits;
    const session = quickId(4);
    this.#source = session;
    this.#deps = {
      identity: identityOf(settings, session),
      limits,
      scrub: asItIs,
      losses: losses,
      owners: scriptOwners,
    };
    this.#post = new Post({ url: settings.to, limits, losses: losses, now, fetch });
    this.#logs = createLogBuffer(this.#deps, (envelope) => this.#post.send(envelope, "log_item"));
    this.#session = new PageSession(session, this.#deps.identity, now(), (envelope) =>
      this.#post.send(envelope, "session"),
    );
    const pageLoad = openPageLoad(settings.rate, limits.spans);
    this.#current = { segment: pageLoad, finish: undefined };
    watchPage({
      now,
      addStep: (step) => this.#steps.add(step),
      segment: () => this.#current.segment,
      isOpen: () => this.#current.finish !== undefined && this.#current.segment.sampled,
      reportsTo: settings.to,
      targets: (settings.targets ?? []).map(readPattern),
    });
    early.report = (error) => {
      const report = this.#earlyError(error);
      if (report?.kind === "report") early.reported?.(error.thrown, report.eventId);
    };
    // Queued calls run right after this; then the reporter knows the page of these errors.
    queueMicrotask(() => {
      for (const error of early.list.splice(0)) if (!error.id) early.report?.(error);
    });
    if (hasShownPages()) this.#toBooks((books) => books.say());
    addEventListener("pagehide", () => {
      this.#book.leave();
      this.#leave();
    });
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.#leave());
  }

  pageShown({ at, url }: CallContext, { route, params, build, first, digest }: ShownFacts): void {
    if (digest !== undefined) this.#toBooks((books) => books.shown(digest, route, at));
    // Browsers without the status take an unknown address for a page that was reached.
    else if (first && (navigationTiming()?.responseStatus ?? 200) < 400) this.#reached(route, performance.timeOrigin);
    this.#route = route;
    this.#facts.params = params;
    this.#facts.page_build = build;
    this.#step("page", `${first ? "opened" : "came to"} ${pathOf(url)}`, at);
    if (first) this.#pageLoaded(route, at);
  }

  navigationStarted(
    context: CallContext,
    facts: NavigationFacts,
    trace: NewTrace,
    clickedMs: number | undefined,
  ): void {
    this.#finishTrace();
    this.#step("navigation", `left ${pathOf(facts.from)} for ${pathOf(facts.to)} (${facts.kind})`, context.at);
    this.#facts.navigation = facts.kind;
    delete this.#facts.prefetch;
    const clickMs = clickedMs === undefined ? context.at : Math.min(context.at, performance.timeOrigin + clickedMs);
    const navigation = openNavigationTrace({
      facts,
      trace,
      clickMs,
      startMs: context.at,
      before: this.#current.segment,
      spansAtMost: clientLimits.spans,
    });
    const { id, to } = facts;
    this.#navigations.set(id, navigation);
    const { traceId } = trace;
    // Submissions have negative ids, and run beside navigations.
    if (id > 0) this.#book.begin(id, { id: traceId, at: context.at / 1000, route: this.#route, name: pathOf(to) });
  }

  dataRequested({ at }: CallContext, id: number): void {
    this.#navigations.get(id)?.dataRequested(at);
  }

  navigationEnded({ at }: CallContext, id: number, outcome: NavigationOutcome): void {
    const navigation = this.#navigations.get(id);
    this.#navigations.delete(id);
    this.#book.end(id, outcome.kind);
    if (outcome.kind !== "committed") this.#step("navigation", `ended: ${outcome.kind}`, at);
    if (!navigation) return;
    const { startMs } = navigation.segment.root;
    if (id < 0) this.#submitted(outcome, startMs, at);
    else if (outcome.kind === "committed" && outcome.status < 400) this.#reached(outcome.route, startMs);
    const left = judgeNavigation(outcome);
    if (left !== undefined) {
      if (navigation.segment.sampled) this.#deps.losses.add(`filter:${left}`, "transaction");
      return;
    }
    if (outcome.kind !== "committed") return;
    const prefetch = outcome.data === "joined" ? this.#prefetches.get(navigation.url) : undefined;
    if (prefetch) navigation.usedPrefetch(prefetch, "joined", at - prefetch.startMs);
    navigation.committed(outcome, at);
    this.#keepOpen(navigation.segment, afterCommitMs, () => this.#sendTrace(navigation.segment, navigation.endMs));
  }

  prefetchStarted({ at: startMs }: CallContext, url: string, trace: NewTrace): void {
    this.#prefetches.set(url, { trace, startMs });
    // As many as the prefetch cache holds.
    if (this.#prefetches.size > 200) this.#prefetches.delete([...this.#prefetches.keys()][0] ?? "");
  }

  prefetchEnded({ at }: CallContext, { url, outcome }: { url: string; outcome: PrefetchOutcome }): void {
    const prefetch = this.#prefetches.get(url);
    // A prefetch that a navigation has joined is reported as part of that navigation.
    if (prefetch && outcome === "stored") this.#sendPrefetch(prefetch, url, outcome, at);
  }

  prefetchUsed(_context: CallContext, { url, use, ageMs }: PrefetchUse): void {
    const prefetch = this.#prefetches.get(url);
    if (use === "expired" || use === "evicted") {
      this.#prefetches.delete(url);
      return;
    }
    this.#facts.prefetch = { state: use, age_ms: Math.round(ageMs) };
    for (const navigation of this.#navigations.values())
      if (navigation.url === url) navigation.usedPrefetch(prefetch, use, ageMs);
  }

  fullLoadChosen(
    { at }: CallContext,
    { url, reason, allowed }: { url: string; reason: FullLoadReason; allowed: boolean },
  ): void {
    this.#step("navigation", `full load of ${pathOf(url)}: ${reason}${allowed ? "" : " (held back)"}`, at);
    if (allowed) rememberHandOver({ reason, traceId: this.#current.segment.traceId, at });
  }

  connection({ at }: CallContext, state: "lost" | "back"): void {
    this.#step("connection", `connection ${state}`, at);
  }

  errorCaught(context: CallContext, error: unknown, place: ErrorPlace, eventId: string): void {
    if (isSeenBefore(this.#reported, error)) return;
    const promised = place.visitorSaw !== "page" && place.visitorSaw !== "nothing";
    const mechanism = { type: `auto.holdfast.${place.during}`, handled: false };
    // An error while a page renders belongs to the navigation that is about to end.
    const [navigation] = this.#navigations.values();
    const errorContext: ErrorContext = { ...this.#contextOf(context), ...(promised && { promisedId: eventId }) };
    if (navigation) errorContext.segment = navigation.segment;
    this.#sendError(reportError(error, { mechanism, place, context: errorContext }, this.#deps), promised);
    const { route = "" } = place;
    if (promised) this.#toBooks((books) => books.shown(digestOfHex(eventId), route, context.at));
  }

  captureError(context: CallContext, { error, about, eventId, callStack }: Captured & { error: unknown }): void {
    if (isSeenBefore(this.#reported, error)) return;
    const errorContext = { ...this.#contextOf(context, about), promisedId: eventId, callStack };
    this.#sendError(
      reportError(error, { mechanism: { type: "generic", handled: true }, context: errorContext }, this.#deps),
      false,
    );
  }

  captureMessage(
    context: CallContext,
    { text, level, about, eventId, callStack }: Captured & { text: string; level: Level },
  ): void {
    const errorContext = { ...this.#contextOf(context, about), promisedId: eventId, callStack };
    this.#sendError(reportMessage(text, level, errorContext, this.#deps), false);
  }

  spanEnded({ at: endMs }: CallContext, { name, attributes, startMs, failed }: EndedSpan): void {
    const { segment, finish } = this.#current;
    if (!finish || !segment.sampled) return;
    const span: Span = segment.begin(undefined, "function", name, startMs);
    span.endMs = endMs;
    span.data = { ...attributes };
    if (failed) span.status = "internal_error";
  }

  setUser(_told: CallContext, user: User | undefined): void {
    this.#user = user;
  }

  addStep({ at }: CallContext, text: string, data: Readonly<Record<string, unknown>>): void {
    this.#steps.add({ timestamp: at / 1000, category: "step", message: text, data });
  }

  log({ at: timeMs }: CallContext, level: Level, text: string, attributes: Attributes): void {
    this.#logs.add({ timeMs, level, text, attributes, segment: this.#current.segment, span: undefined });
  }

  context(context: CallContext, take: (known: ErrorContext) => void): void {
    take(this.#contextOf(context));
  }

  #earlyError(early: EarlyError): Report | undefined {
    if (isSeenBefore(this.#reported, early.thrown) || this.#isLooping(early)) return undefined;
    const { kind, file, line, column } = early;
    const mechanism: Pick<WireMechanism, "type" | "handled"> = {
      type: `auto.browser.global_handlers.on${kind}`,
      handled: false,
    };
    const errorContext: ErrorContext = {
      ...this.#contextOf({ at: early.at, url: early.url ?? location.href }),
      script: file ? { file, line, column } : undefined,
    };
    // Browsers hide errors of scripts of another origin and pass a message only.
    const thrown = early.thrown || early.message || early.thrown;
    const place: ErrorPlace = { side: "browser", during: "event", visitorSaw: "page" };
    const report = reportError(thrown, { mechanism, place, context: errorContext }, this.#deps);
    this.#sendError(report, true);
    return report;
  }

  #isLooping({ thrown, message, file, line }: EarlyError): boolean {
    const what = typeof thrown === "object" && thrown ? textAt(thrown, "stack") : safeText(thrown);
    const key = `${what} ${message} ${file}:${line}`;
    const count = (this.#sameErrors.get(key) ?? 0) + 1;
    if (this.#sameErrors.size < 100) this.#sameErrors.set(key, count);
    if (count > sameErrorAtMost) this.#deps.losses.add("filter:repeated", "error");
    return count > sameErrorAtMost;
  }

  #sendError(report: Report, unhandled: boolean): void {
    if (report.kind === "left-out") return;
    this.#session.failed(unhandled, now());
    this.#post.send(report.envelope, "error");
  }

  #contextOf({ at, url }: CallContext, about: About = {}): ErrorContext {
    return {
      timeMs: at,
      segment: this.#current.segment,
      steps: this.#steps,
      user: this.#user && { ...this.#user },
      route: this.#route,
      request: { url, headers: { "User-Agent": navigator.userAgent } },
      facts: { ...this.#facts, online: navigator.onLine },
      ...about,
    };
  }

  #step(category: string, message: string, at: number): void {
    this.#steps.add({ timestamp: at / 1000, category, message });
  }

  #pageLoaded(route: string, shownMs: number): void {
    const { segment } = this.#current;
    segment.root.name = route;
    segment.nameSource = "route";
    const handOver = takeHandOver(now());
    segment.root.data = {
      "url.path": location.pathname,
      "url.template": route,
      ...(handOver && { "holdfast.full_load_reason": handOver.reason, "holdfast.previous_trace": handOver.traceId }),
    };
    if (route === "not-found" || navigationTiming()?.responseStatus === 404) {
      if (segment.sampled) this.#deps.losses.add("filter:not-found-page", "transaction");
      return;
    }
    this.#keepOpen(segment, pageLoadMs, () => this.#sendTrace(segment, addLoadingSpans(segment, shownMs)));
  }

  /** Keeps a trace open for some time, so that spans of the page can still be added. */
  #keepOpen(segment: TraceSegment, ms: number, send: () => void): void {
    this.#finishTrace();
    const finish = (): void => {
      clearTimeout(timer);
      if (this.#current.segment === segment) this.#current.finish = undefined;
      send();
    };
    const timer = setTimeout(finish, ms);
    this.#current = { segment, finish };
  }

  #finishTrace(): void {
    this.#current.finish?.();
  }

  #sendTrace(segment: TraceSegment, endMs: number): void {
    if (!segment.sampled) return;
    const errorContext = {
      endMs,
      request: { url: location.href, headers: { "User-Agent": navigator.userAgent } },
      user: this.#user && { ...this.#user },
    };
    this.#post.send(reportTrace(segment, errorContext, this.#deps.identity), "transaction");
  }

  /** A prefetch has its own trace: it runs before the navigation that may use it. */
  #sendPrefetch(
    { trace, startMs }: { trace: NewTrace; startMs: number },
    url: string,
    outcome: string,
    endMs: number,
  ): void {
    if (!trace.sampled) return;
    const parent = { traceId: trace.traceId, spanId: trace.spanId };
    const segment = new TraceSegment(
      {
        parent: undefined,
        sampled: true,
        sampleRate: trace.rate,
        op: "prefetch",
        name: pathOf(url),
        startMs,
        ids: parent,
      },
      0,
    );
    segment.root.data = { "holdfast.prefetch": outcome };
    this.#sendTrace(segment, endMs);
  }

  /** Most visitors have seen no error page. */
  #reached(route: string, askedMs: number): void {
    if (hasShownPages()) this.#toBooks((books) => books.reached(route, askedMs));
  }

  #submitted(outcome: NavigationOutcome, sentMs: number, atMs: number): void {
    const route = this.#route ?? "";
    if ("digest" in outcome || hasShownPages())
      this.#toBooks((books) => books.submitted(outcome, { route, sentMs, atMs }));
  }

  /** Without its code nothing is said, and the service knows of the page from its server alone. */
  #toBooks(use: (books: ShownPages) => void): void {
    this.#books ??= import("./shown-pages.ts").then(
      (code) =>
        new code.ShownPages({
          key: shownPagesKey,
          source: this.#source,
          now,
          send: (report, arrived) =>
            this.#post.send(writeEnvelope({}, [jsonItem("client_report", report)]), "internal", arrived),
        }),
    );
    this.#books.then(use).catch(() => {
      this.#books = undefined;
    });
  }

  #leave(): void {
    this.#finishTrace();
    this.#logs.flush();
    const { losses } = this.#deps;
    const tallies = this.#book.take();
    if (!losses.isEmpty || tallies.length > 0) {
      const balance = { source: this.#source, tallies };
      const report = jsonItem("client_report", { ...losses.take(now()), balance });
      this.#post.send(writeEnvelope({}, [report]), "internal");
    }
    this.#post.leave();
  }
}

const now = (): number => performance.timeOrigin + performance.now();

/** In the storage of the browser. Visitors who have seen an error page are rare, and so is the code for it. */
const shownPagesKey = "holdfast-shown";

function hasShownPages(): boolean {
  try {
    return localStorage.getItem(shownPagesKey) !== null;
  } catch {
    // Storage is forbidden.
    return false;
  }
}

/** No scrubbing: the application's own server removes secrets, or `Post` where there is none. */
const asItIs: ReporterDeps["scrub"] = {
  value: (value) => value,
  text: (text) => text,
  person: (person) => person,
  isSecretName: () => false,
};

/** The session id separates one visit from others. It is random, new for every document, and stored nowhere. */
function identityOf({ release, environment }: EarlyErrors["settings"], id: string): Identity {
  return { sdk: browserSdk, platform: "javascript", release, environment, contexts: { session: { id } } };
}

function isSeenBefore(seen: WeakSet<object>, error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if (seen.has(error)) return true;
  seen.add(error);
  return false;
}

function pathOf(url: string): string {
  return URL.canParse(url, location.href) ? new URL(url, location.href).pathname : url;
}
