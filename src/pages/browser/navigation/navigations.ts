import type { BrowserSignals, FullLoadReason, NavigationOutcome, NavigationSignals } from "#signals";
import type { BrowserLimits } from "../../limits.ts";
import type { PageAnswer } from "../page-answer.ts";
import type { PageSource } from "../page-source.ts";
import type { Ledger } from "./full-load.ts";
import type { Effect, NavigationEvent, NavigationState, NavigationTarget, Source } from "./navigation-events.ts";
import { nextDueAt, step } from "./navigation-record.ts";

/** Everything a navigation does to the world. Handed in, so that the whole of it is tested without a browser. */
export interface NavigationDeps {
  limits: BrowserLimits;
  now(): number;
  setTimer(run: () => void, ms: number): () => void;
  signals: BrowserSignals;
  ledger: Ledger;
  source: PageSource;
  /** Address of the page that is shown. */
  currentUrl(): string;
  judge(to: string): "page" | "foreign" | "unknown";
  /** The page kept with the history entry that is being returned to. */
  kept(target: NavigationTarget): PageAnswer | undefined;
  /** Of the route, or of what the answer shows. Rejects when a module or stylesheet is missing. */
  loadCode(to: string, page?: PageAnswer): Promise<void>;
  isStyleError(error: unknown): boolean;
  probe(): Promise<boolean>;
  commit(target: NavigationTarget, page: PageAnswer, source: Source): void;
  /** Shows the error page in place; returns the digest. */
  showError(target: NavigationTarget, reason: string): string | undefined;
  fullLoad(target: NavigationTarget, reason: FullLoadReason): void;
  stopLoad(): void;
  /** The runtime itself threw: it is reported, and the page is loaded anew. */
  broke(error: unknown): void;
  /** Something to show may have changed: pending bar, connection bar, hooks. */
  changed(state: NavigationState<PageAnswer>): void;
}

type State = NavigationState<PageAnswer>;
type PageNavigationEvent = NavigationEvent<PageAnswer>;

/**
 * Takes the visitor from page to page without leaving the document, one navigation at a time. What happens goes in as
 * events, the record (`navigation-record.ts`) decides, and what it decided is done here. A supervisor looks again
 * whenever the record says it is due.
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

  /** The trunk: one event after the other, each to its end, even when doing one brings the next. */
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
    const { limits, judge, ledger, signals } = this.#deps;
    return {
      limits,
      judge,
      mayFullLoad({ to: url, asked }: NavigationTarget, reason: FullLoadReason): boolean {
        const allowed = ledger.mayLoad(url, reason, asked);
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

  /**
   * Whatever breaks while one thing is done must not keep the others from being done: a stuck runtime would be a dead
   * end.
   */
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
      case "begun":
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
        deps.ledger.note(effect.target.to, effect.reason, effect.target.asked);
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

  #getPage({ id, target, ask }: Extract<Effect<PageAnswer>, { kind: "get-page" }>): void {
    const kept = ask ? undefined : this.#deps.kept(target);
    if (kept) {
      this.dispatch({ kind: "answered", id, page: kept, source: "kept" });
      return;
    }
    this.#spans.get(id)?.dataRequested();
    this.#deps.source.get(id, target, ask, (news) => this.dispatch({ ...news, id }));
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

  /** The digest is known only here, so the span ends here; the `ended` that follows finds it closed. */
  #showError({ id, target, reason }: Extract<Effect<PageAnswer>, { kind: "show-error" }>): void {
    // Redirects that were fetched ahead may be what led here; the next try asks the server.
    this.#deps.source.forget();
    const digest = this.#deps.showError(target, reason);
    this.#end(id, { kind: "failed", reason, ...(digest !== undefined && { digest }) });
  }

  #end(id: number, outcome: NavigationOutcome): void {
    this.#spans.get(id)?.ended(outcome);
    this.#spans.delete(id);
  }
}
