/** What the running application shows its developer. The host provides it, in development only. */
export interface DevelopmentSource {
  routes(): Promise<readonly DevelopedRoute[]>;
  /** Failures since the start, compile errors too, the newest first. */
  failures(): Promise<readonly DevelopedFailure[]>;
}

export interface DevelopedRoute {
  /** `/orders/[id]`. */
  readonly id: string;
  readonly kind: "page" | "api";
  readonly params: readonly string[];
  /** Files, relative to the application. */
  readonly page: string | undefined;
  readonly server: string | undefined;
  readonly layouts: readonly string[];
}

export interface DevelopedFailure {
  readonly at: number;
  /** `TypeError in the load of /orders/[id], on the server`. */
  readonly headline: string;
  readonly message: string;
  readonly digest: string | undefined;
  readonly route: string | undefined;
  /** Path and search of the page. */
  readonly address: string | undefined;
  /** The failing line with its neighbours. */
  readonly excerpt:
    | { readonly file: string; readonly line: number; readonly lines: readonly { number: number; text: string }[] }
    | undefined;
  /** Innermost call first: `load (src/pages/orders/[id].server.ts:4:9)`. */
  readonly stack: readonly string[];
}
