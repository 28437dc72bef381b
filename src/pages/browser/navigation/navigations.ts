import type { BrowserSignals, FullLoadReason, NavigationOutcome, NavigationSignals } from "#signals";
import type { BrowserLimits } from "../../limits.ts";
import type { PageAnswer } from "../data/page-answer.ts";
import type { PageSource } from "../data/page-source.ts";
import type { Ledger } from "./full-load.ts";
import type { Effect, NavigationEvent, NavigationState, NavigationTarget, Source } from "./navigation-events.ts";
import { nextDueAt, step } from "./navigation-record.ts";

/** All effects of a navigation, injected so that it can be tested without a browser. */
export interface NavigationDeps {
  limits: BrowserLimits;
  now(): number;
  setTimer(run: () => void, ms: number): () => void;
  signals: BrowserSignals;
  ledger: Ledger;
  source: PageSource;
  /** Address of the page on screen. */
  currentUrl(): string;
  judge(to: string): "page" | "foreign" | "unknown";
  /** The policy of this document. */
  policy?: string | undefined;
  /** The page kept for the history entry of a traversal. */
  cached(target: NavigationTarget): PageAnswer | undefined;
  /** Loads the code of the route, or of the given page. Rejects when a module or stylesheet is missing. */
  loadCode(to: string, page?: PageAnswer): Promise<void>;
  isStyleError(error: unknown): boolean;
  probe(): Promise<boolean>;
  commit(target: NavigationTarget, page: PageAnswer, source: Source): void;
  /** Shows the error page in place; returns its digest. */
  showError(target: NavigationTarget, reason: string): string | undefined;
  fullLoad(target: NavigationTarget, reason: FullLoadReason): void;
  stopLoad(): void;
  /** The runtime itself threw: the error is reported and the page reloads. */
  broke(error: unknown): void;
  /** The visible state may have changed: pending bar, connection bar, hooks. */
  changed(state: NavigationState<PageAnswer>): void;
}

type State = NavigationState<PageAnswer>;
type PageNavigationEvent = NavigationEvent<PageAnswer>;

/**
 * Navigates between pages without leaving the document, one navigation at a time. Events go in, the record
 * (`navigation-record.ts`) decides, and this class executes the effects. A timer dispatches `tick` at the record's next
 * deadline.
 */
export class Navigations {
  readonly #deps: NavigationDeps;
  readonly #spans = new Map<number, NavigationSignals>();
  readonly #waiting: PageNavigationEvent[] = [];
  #state: State = { kind: "idle", nextId: 1 };
  #running = false;
  #cancelTimer: () => void = () => undefined;

  constructor(deps: NavigationDeps) {
    this.#deps = deps;
  }

  get state(): State {
    return this.#state;
  }

  headers(id: number): Record<string, string> {
    return this.#spans.get(id)?.headers() ?? {};
  }

  /** Handles events one at a time: an event dispatched by an effect waits for its turn. */
  dispatch(event: PageNavigationEvent): void {
    this.#waiting.push(event);
    if (this.#running) return;
    this.#running = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { state, effects } = step(this.#state, next, this.#deps.now(), this.#rules());
      this.#state = state;
      for (const effect of effects) this.#doSafely(effect);
    }
    this.#running = false;
    this.#supervise();
    this.#deps.source.pause(this.#state.kind === "loading" || this.#state.kind === "probing");
    this.#deps.changed(this.#state);
  }

  #rules() {
    const { ledger, signals } = this.#deps;
    return {
      ...this.#deps,
      mayFullLoad({ to: url, userInitiated }: NavigationTarget, reason: FullLoadReason): boolean {
        const allowed = ledger.mayLoad(url, reason, userInitiated);
        signals.fullLoadChosen({ url, reason, allowed });
        return allowed;
      },
    };
  }

  #supervise(): void {
    this.#cancelTimer();
    const due = nextDueAt(this.#state, this.#deps.limits);
    this.#cancelTimer =
      due === Number.POSITIVE_INFINITY
        ? () => undefined
        : this.#deps.setTimer(() => this.dispatch({ kind: "tick" }), due - this.#deps.now());
  }

  /** A failing effect must not prevent the following ones: a stuck runtime would be a dead end. */
  #doSafely(effect: Effect<PageAnswer>): void {
    try {
      this.#do(effect);
    } catch (error) {
      this.#deps.broke(error);
    }
  }

  #do(effect: Effect<PageAnswer>): void {
    const deps = this.#deps;
    switch (effect.kind) {
      case "begin":
        this.#begin(effect.id, effect.target);
        break;
      case "get-page":
        this.#getPage(effect);
        break;
      case "load-code":
        this.#loadCode(effect);
        break;
      case "probe":
        void deps.probe().then((reachable) => this.dispatch({ kind: "probed", id: effect.id, reachable }));
        break;
      case "abort":
        deps.source.stopPending();
        break;
      case "stop-load":
        deps.stopLoad();
        break;
      case "commit":
        deps.commit(effect.target, effect.page, effect.source);
        deps.source.shown();
        break;
      case "full-load":
        deps.source.abortAll();
        deps.ledger.note(effect.target.to, effect.reason, effect.target.userInitiated);
        deps.fullLoad(effect.target, effect.reason);
        break;
      case "show-error":
        this.#showError(effect);
        break;
      case "connection":
        deps.signals.connection(effect.state);
        break;
      case "ended":
        this.#end(effect.id, effect.outcome);
        break;
    }
  }

  #begin(id: number, { to, how }: NavigationTarget): void {
    const { signals, currentUrl } = this.#deps;
    this.#spans.set(id, signals.navigationStarted({ id, from: currentUrl(), to, kind: how }));
  }

  #getPage({ id, target, refetch }: Extract<Effect<PageAnswer>, { kind: "get-page" }>): void {
    const cached = refetch ? undefined : this.#deps.cached(target);
    if (cached) {
      this.dispatch({ kind: "answered", id, page: cached, source: "kept" });
      return;
    }
    this.#spans.get(id)?.dataRequested();
    this.#deps.source.get(id, target, refetch, (progress) => this.dispatch({ ...progress, id }));
  }

  #loadCode({ id, to, page }: Extract<Effect<PageAnswer>, { kind: "load-code" }>): void {
    this.#deps.loadCode(to, page).then(
      () => this.dispatch({ kind: "code-ready", id }),
      (error) =>
        this.dispatch({
          kind: "code-failed",
          id,
          reason: this.#deps.isStyleError(error) ? "missing-style" : "missing-module",
        }),
    );
  }

  /** Only this function knows the digest, so it ends the span; the `ended` effect that follows finds it closed. */
  #showError({ id, target, reason }: Extract<Effect<PageAnswer>, { kind: "show-error" }>): void {
    // Prefetched redirects may have caused this failure, so the next attempt asks the server.
    this.#deps.source.forget();
    const digest = this.#deps.showError(target, reason);
    this.#end(id, { kind: "failed", reason, ...(digest !== undefined && { digest }) });
  }

  #end(id: number, outcome: NavigationOutcome): void {
    this.#spans.get(id)?.ended(outcome);
    this.#spans.delete(id);
  }
}
