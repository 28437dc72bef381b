import type { Exchange } from "#http";
import type { MaybePromise } from "./maybe-promise.ts";

/** A request whose route is known. */
export interface RoutedRequest {
  /** The pattern of the route's addresses. */
  route: string;
  kind: "page" | "api";
  exchange: Exchange;
}

/** Follows how routes answer. Another build of the application may answer one. */
export interface RouteWatch {
  /** Calls `answer`, or has another build answer. Not called for sockets. */
  answer(request: RoutedRequest, answer: () => MaybePromise<void>): MaybePromise<void>;
  /** This build has answered. `hasFailed`: an error was recorded. */
  answered(request: RoutedRequest, hasFailed: boolean): void;
  /** Whether this build answers a route now: `answer` would do nothing else. Hosts of older versions have none. */
  isOwn?: ((route: string) => boolean) | undefined;
}
