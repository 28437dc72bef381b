import { jsonItem, writeEnvelope } from "#protocol";
import { bypassName, type CacheDecision } from "#signals";
import type { Identity } from "../trace/identity.ts";

export interface CacheCountsDeps {
  identity: Identity;
  /** How long decisions are added up before they are sent. */
  sendMs: number;
  /** Milliseconds since 1970. */
  now: () => number;
  send: (envelope: Uint8Array) => void;
}

/** Services read up to 1,000 of one item. */
const metricsAtOnce = 500;

/** What the cache did for one route since the last envelope. */
interface RouteCounts {
  /** Outcome, with the reason of a bypass → how often. */
  readonly outcomes: Map<string, { outcome: string; reason?: string; n: number }>;
  savedMs: number;
  oldestMs: number | undefined;
}

/**
 * Counts what the server's cache of pages did, for every request and not only for traced ones. The sums are sent as
 * counters of the protocol, by route. Routes and reasons are few, so the sums stay small.
 */
export class CacheCounts {
  readonly #deps: CacheCountsDeps;
  #byRoute = new Map<string, RouteCounts>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: CacheCountsDeps) {
    this.#deps = deps;
  }

  note(route: string, decision: CacheDecision): void {
    const counts = this.#of(route);
    const reason = decision.kind === "bypass" ? bypassName(decision.reason) : undefined;
    const outcome = decision.kind === "stale" && decision.isFailing ? "failing" : decision.kind;
    const key = reason === undefined ? outcome : `${outcome} ${reason}`;
    const known = counts.outcomes.get(key);
    if (known) known.n += 1;
    else counts.outcomes.set(key, { outcome, ...(reason !== undefined && { reason }), n: 1 });
    if (decision.kind === "hit" || decision.kind === "stale") {
      counts.savedMs += decision.savedMs;
      counts.oldestMs = Math.max(counts.oldestMs ?? 0, decision.ageMs);
    }
    this.#timer ??= setTimeout(() => this.flush(), this.#deps.sendMs).unref();
  }

  #of(route: string): RouteCounts {
    let counts = this.#byRoute.get(route);
    if (!counts) {
      counts = { outcomes: new Map(), savedMs: 0, oldestMs: undefined };
      this.#byRoute.set(route, counts);
    }
    return counts;
  }

  /** Sends what was counted since the last time. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#byRoute.size === 0) return;
    const { identity, now, send } = this.#deps;
    const timestamp = now() / 1_000;
    const items = [...this.#byRoute].flatMap(([route, { outcomes, savedMs, oldestMs }]) => {
      const attributes = attributesOf({ route, "sentry.release": identity.release });
      const count = (name: string, n: number, label = {}): object => ({
        timestamp,
        name,
        type: "counter",
        value: n,
        attributes: { ...attributes, ...attributesOf(label) },
      });
      const oldest = { timestamp, name: "holdfast.cache-age", type: "distribution", value: oldestMs, attributes };
      return [
        ...[...outcomes.values()].map(({ n, ...label }) => count("holdfast.cache", n, label)),
        ...(oldestMs === undefined ? [] : [count("holdfast.cache-saved", Math.round(savedMs)), oldest]),
      ];
    });
    this.#byRoute = new Map();
    for (let from = 0; from < items.length; from += metricsAtOnce) {
      const some = items.slice(from, from + metricsAtOnce);
      const header = { itemCount: some.length, contentType: "application/vnd.sentry.items.trace-metric+json" };
      send(writeEnvelope({ sdk: identity.sdk }, [jsonItem("trace_metric", { items: some }, header)]));
    }
  }
}

function attributesOf(texts: Readonly<Record<string, string | undefined>>): object {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [[name, { value, type: "string" }]])),
  );
}
