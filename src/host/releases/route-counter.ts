import type { Tally } from "./evidence.ts";
import type { HealingLimits } from "./limits.ts";
import type { CountedRoute } from "./release-messages.ts";

export interface CounterDeps {
  limits: Pick<HealingLimits, "countsMs" | "failuresPerClient" | "clients">;
  /** Whether many clients share an address, so that its failures are those of several. */
  isShared: (address: string) => boolean;
  send: (counts: readonly CountedRoute[]) => void;
}

/** One answer of a route. */
export interface CountedAnswer {
  route: string;
  on: CountedRoute["on"];
  /** Its address. Called for failures only: most answers need none. */
  client: () => string;
  hasFailed: boolean;
  /** A request that only reads a page. */
  isTriable: boolean;
}

/** Counts the answers of this process. Successes are sent together, a failure takes those before it along. */
export class RouteCounter {
  readonly #deps: CounterDeps;
  readonly #counts = new Map<string, CountedRoute & { tally: Tally }>();
  /** Failures by route and client. */
  readonly #clients = new Map<string, Map<string, number>>();
  readonly #timer: NodeJS.Timeout;
  #isDue = false;

  constructor(deps: CounterDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#flush(), deps.limits.countsMs).unref();
  }

  add({ route, on, client, hasFailed, isTriable }: CountedAnswer): void {
    if (hasFailed && on === "new" && !this.#mayCount(route, client())) return;
    const key = `${on} ${route}`;
    const counted = this.#counts.get(key) ?? { route, on, tally: { requests: 0, failures: 0 }, triable: 0 };
    counted.tally.requests += 1;
    if (hasFailed) counted.tally.failures += 1;
    if (hasFailed && isTriable) counted.triable += 1;
    this.#counts.set(key, counted);
    if ((!hasFailed && on === "new") || this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#flush());
  }

  close(): void {
    clearInterval(this.#timer);
    this.#flush();
  }

  #mayCount(route: string, client: string): boolean {
    const { limits, isShared } = this.#deps;
    if (isShared(client)) return true;
    const clients = this.#clients.get(route) ?? new Map<string, number>();
    this.#clients.set(route, clients);
    const failures = (clients.get(client) ?? 0) + 1;
    const [oldest] = clients.keys();
    if (clients.size >= limits.clients && !clients.has(client) && oldest !== undefined) clients.delete(oldest);
    clients.set(client, failures);
    return failures <= limits.failuresPerClient;
  }

  #flush(): void {
    this.#isDue = false;
    if (this.#counts.size === 0) return;
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    this.#deps.send(counts);
  }
}
