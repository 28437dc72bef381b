import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import type { PageHandler, RoutedRequest, RouteWatch } from "#pages";
import type { BuildBefore, Usable } from "./build-before.ts";
import type { HealingLimits } from "./limits.ts";
import type { RouteCounter } from "./route-counter.ts";
import { repeatRequest } from "./try-request.ts";

export interface RouteWatchDeps {
  counter: Pick<RouteCounter, "add">;
  clientOf: (incoming: IncomingMessage) => string;
  limits: Pick<HealingLimits, "triedOneOf" | "trialMs">;
  /** The pages of the served build. */
  pages: () => PageHandler;
  onUnusable: (route: string, why: string) => void;
}

/** Set while a request is tried in the background: no visitor sees its errors. */
export const trialScope: AsyncLocalStorage<true> = new AsyncLocalStorage<true>();

interface HealedRoute {
  before: BuildBefore;
  isTried: boolean;
  usable: Usable | undefined;
  asked: number;
}

/** Follows the answers of all routes, and has the build before answer those that are healed. */
export class HealingWatch implements RouteWatch {
  readonly #deps: RouteWatchDeps;
  #healed = new Map<string, HealedRoute>();
  /** Requests in the background, whose answers no visitor sees. */
  readonly #tried = new WeakSet<IncomingMessage>();
  #isTrying = false;

  constructor(deps: RouteWatchDeps) {
    this.#deps = deps;
  }

  /** The watch of the build before: it counts, and changes nothing. */
  readonly ofBefore: RouteWatch = {
    answer: (_request, answer) => answer(),
    isOwn: () => true,
    answered: (request, hasFailed) => this.#count(request, "before", hasFailed),
  };

  heal(before: BuildBefore, routes: readonly { route: string; isTried: boolean }[]): void {
    const healed = routes.map(({ route, isTried }): [string, HealedRoute] => {
      const { usable, asked = 0 } = this.#healed.get(route) ?? {};
      return [route, { before, isTried, usable, asked }];
    });
    this.#healed = new Map(healed);
  }

  isOwn(route: string): boolean {
    return !this.#healed.has(route);
  }

  answer(request: RoutedRequest, answer: () => void | Promise<void>): void | Promise<void> {
    const healed = this.#healed.get(request.route);
    if (!healed || this.#tried.has(request.exchange.incoming)) return answer();
    if (healed.usable) return this.#answerFrom(healed, healed.usable, request, answer);
    return healed.before.forRoute(request.route).then((usable) => {
      if (!healed.usable && usable.kind === "unusable") this.#deps.onUnusable(request.route, usable.why);
      healed.usable = usable;
      return this.#answerFrom(healed, usable, request, answer);
    });
  }

  answered(request: RoutedRequest, hasFailed: boolean): void {
    if (!this.#tried.has(request.exchange.incoming)) this.#count(request, "new", hasFailed);
    // An answer after its time has been counted as a failure.
    else if (this.#tried.delete(request.exchange.incoming)) this.#count(request, "trial", hasFailed);
  }

  #answerFrom(
    healed: HealedRoute,
    usable: Usable,
    request: RoutedRequest,
    answer: () => void | Promise<void>,
  ): void | Promise<void> {
    if (usable.kind === "unusable") return answer();
    healed.asked += 1;
    const isTurn = healed.isTried && healed.asked % this.#deps.limits.triedOneOf === 0;
    if (isTurn && !this.#isTrying && isTriable(request)) void this.#try(request);
    return usable.pages.handle(request.exchange.incoming, request.exchange.response);
  }

  /** The visitor gets the answer of the build before, whatever happens here. */
  async #try(request: RoutedRequest): Promise<void> {
    this.#isTrying = true;
    const { incoming, response, end } = repeatRequest(request.exchange.incoming);
    this.#tried.add(incoming);
    const timer = setTimeout(end, this.#deps.limits.trialMs).unref();
    try {
      await trialScope.run(true, () => this.#deps.pages().handle(incoming, response));
    } finally {
      clearTimeout(timer);
      end();
      this.#isTrying = false;
      const routed = { ...request, exchange: { incoming, response } };
      if (this.#tried.delete(incoming)) this.#count(routed, "trial", true);
    }
  }

  #count(request: RoutedRequest, on: "new" | "before" | "trial", hasFailed: boolean): void {
    const { incoming, response } = request.exchange;
    // A server that has too much to do says nothing about a route.
    if (response.statusCode === 503) return;
    const client = (): string => this.#deps.clientOf(incoming);
    this.#deps.counter.add({ route: request.route, on, client, hasFailed, isTriable: isTriable(request) });
  }
}

/** Only reading a page may happen twice; a response of an API route may be a stream without an end. */
function isTriable({ kind, exchange }: RoutedRequest): boolean {
  return kind === "page" && exchange.incoming.method === "GET";
}
