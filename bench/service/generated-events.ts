import { randomFrom } from "../../tests/kit/random-from.ts";
/**
 * Error events and page loads as a shop of some size would report them, the same in every run: 2,000 different errors
 * of which few are frequent (Zipf), 50,000 visitors, 20 releases, 3 environments, 60 routes. A quarter of the errors
 * come from the server with source lines. An event has 7 kB of JSON on average.
 */
export interface Generated {
  at: number;
  eventId: string;
  payload: string;
}

const issues = 2_000;
const visitors = 50_000;
const releases = 20;
const routes = Array.from({ length: 60 }, (_, n) => `/${word(n)}/${n % 3 === 0 ? "[id]" : word(n + 7)}`);
const environments = ["production", "production", "production", "staging", "development"];
const types = ["TypeError", "Error", "RangeError", "FetchError", "DatabaseError", "ValidationError", "TimeoutError"];

export class EventSource {
  readonly #random: () => number;
  readonly #issueShares: Float64Array;
  readonly #from: number;
  readonly #stepMs: number;
  #made = 0;

  /** `total` events are spread evenly over `days` up to `until`. */
  constructor(options: { seed: number; total: number; days: number; until: number }) {
    this.#random = randomFrom(options.seed);
    this.#from = options.until - options.days * 86_400_000;
    this.#stepMs = (options.days * 86_400_000) / options.total;
    this.#issueShares = zipfShares(issues);
  }

  next(): Generated {
    const at = Math.floor(this.#from + this.#made++ * this.#stepMs);
    const eventId = this.#hex(32);
    return { at, eventId, payload: JSON.stringify(this.#event(eventId, at)) };
  }

  /** A page load at the time of the last event: a few spans, five vitals. */
  nextPageLoad(): Generated {
    const at = Math.floor(this.#from + this.#made * this.#stepMs);
    const eventId = this.#hex(32);
    const trace = { trace_id: this.#hex(32), span_id: this.#hex(16), op: "pageload", status: "ok" };
    const start = at / 1000;
    const seconds = 0.2 + this.#random() ** 3 * 6;
    const spans = Array.from({ length: 3 + this.#below(8) }, (_, n) => ({
      span_id: this.#hex(16),
      parent_span_id: trace.span_id,
      trace_id: trace.trace_id,
      op: n % 2 === 0 ? "resource.script" : "http.client",
      description: `GET /api/${word(this.#below(200))}`,
      start_timestamp: start + n * 0.01,
      timestamp: start + n * 0.01 + this.#random() * seconds,
    }));
    const ms = (value: number) => ({ value, unit: "millisecond" });
    return {
      at,
      eventId,
      payload: JSON.stringify({
        type: "transaction",
        event_id: eventId,
        transaction: routes[this.#below(routes.length)],
        start_timestamp: start,
        timestamp: start + seconds,
        release: `shop@1.${this.#below(releases)}.0`,
        environment: "production",
        user: { id: `user-${this.#below(visitors)}` },
        contexts: { trace },
        spans,
        measurements: {
          lcp: ms(seconds * 700),
          fcp: ms(seconds * 400),
          ttfb: ms(40 + this.#random() * 300),
          inp: ms(20 + this.#random() * 250),
          cls: { value: this.#random() ** 4 * 0.4 },
        },
      }),
    };
  }

  #event(eventId: string, at: number): object {
    const issue = this.#issue();
    const visitor = this.#below(visitors);
    const isServer = issue % 4 === 0;
    const route = routes[issue % routes.length] ?? "/";
    const release = `shop@1.${Math.min(releases - 1, Math.floor((at - this.#from) / 86_400_000 / 5))}.0`;
    return {
      event_id: eventId,
      timestamp: at / 1000,
      level: issue % 9 === 0 ? "warning" : "error",
      platform: isServer ? "node" : "javascript",
      release,
      environment: environments[this.#below(environments.length)],
      transaction: isServer ? `GET ${route}` : route,
      server_name: isServer ? `web-${this.#below(4)}` : undefined,
      exception: {
        values: [
          {
            type: types[issue % types.length],
            value: `${word(issue)} ${word(issue * 3)} failed for order ${this.#below(1e6)} at ${word(issue * 5)}`,
            mechanism: { type: isServer ? "generic" : "onerror", handled: isServer },
            stacktrace: { frames: this.#frames(issue, isServer) },
          },
        ],
      },
      request: {
        method: "GET",
        url: `https://shop.example${route.replace("[id]", String(this.#below(1e5)))}?page=${this.#below(20)}`,
        headers: { "User-Agent": userAgents[visitor % userAgents.length], Accept: "text/html,application/xhtml+xml" },
      },
      user: { id: `user-${visitor}` },
      tags: { feature: word(issue % 40), experiment: `group-${visitor % 4}` },
      breadcrumbs: this.#breadcrumbs(at, route),
      contexts: {
        trace: { trace_id: this.#hex(32), span_id: this.#hex(16) },
        browser: { name: ["Chrome", "Firefox", "Safari", "Edge"][visitor % 4], version: `${120 + (visitor % 9)}.0` },
        os: {
          name: ["Windows", "Mac OS X", "Android", "iOS", "Linux"][visitor % 5],
          version: String(10 + (visitor % 6)),
        },
        culture: { locale: "en-GB", timezone: "Europe/London" },
      },
      sdk: { name: isServer ? "sentry.javascript.node" : "sentry.javascript.browser", version: "11.11.0" },
    };
  }

  #frames(issue: number, isServer: boolean): object[] {
    return Array.from({ length: 3 + (issue % 23) }, (_, n) => {
      const own = n % 3 !== 1;
      const file = own ? `src/${word(issue + n)}/${word(issue * 2 + n)}.ts` : `node_modules/${word(n)}/dist/index.js`;
      const frame = {
        filename: file,
        abs_path: `https://shop.example/${file}`,
        function: `${word(issue + n)}${word(n * 3)}`,
        lineno: 1 + ((issue * 31 + n * 7) % 900),
        colno: 1 + ((issue * 17 + n) % 80),
        in_app: own,
      };
      if (!isServer) return frame;
      const line = (offset: number) =>
        `    const ${word(issue + n + offset)} = await ${word(n + offset)}(${word(issue + offset)}, ${offset});`;
      return {
        ...frame,
        context_line: line(0),
        pre_context: [1, 2, 3, 4, 5].map(line),
        post_context: [6, 7, 8, 9, 10].map(line),
      };
    });
  }

  #breadcrumbs(at: number, route: string): object[] {
    return Array.from({ length: 2 + this.#below(26) }, (_, n) => {
      const timestamp = (at - (30 - n) * 1_000 - this.#below(900)) / 1000;
      if (n % 3 === 0) return { timestamp, category: "navigation", data: { from: routes[this.#below(60)], to: route } };
      if (n % 3 === 1)
        return {
          timestamp,
          category: "fetch",
          type: "http",
          data: { method: "GET", url: `/api/${word(this.#below(200))}/${this.#below(1e5)}`, status_code: 200 },
        };
      return {
        timestamp,
        category: "ui.click",
        message: `main > section.${word(this.#below(50))} > button#${word(this.#below(90))}`,
      };
    });
  }

  #issue(): number {
    const wanted = this.#random();
    let [low, high] = [0, issues - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#issueShares[middle] ?? 1) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #hex(length: number): string {
    let text = "";
    while (text.length < length)
      text += Math.floor(this.#random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, "0");
    return text.slice(0, length);
  }
}

const userAgents = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
];

/** Made-up words that are distinct and pronounceable. */
function word(n: number): string {
  const [a, b, c] = ["kar", "lum", "pex", "tor", "vin", "sol", "bra", "quo", "mer", "dis", "fal", "gon", "hub"].map(
    (_, index, all) => all[(n * (index + 1) + index * 5) % all.length] ?? "",
  );
  return `${a}${b}${n % 7 === 0 ? c : ""}${n % 10}`;
}

function zipfShares(count: number): Float64Array {
  const shares = new Float64Array(count);
  let sum = 0;
  for (let n = 0; n < count; n++) sum += 1 / (n + 1);
  let passed = 0;
  for (let n = 0; n < count; n++) {
    passed += 1 / (n + 1) / sum;
    shares[n] = passed;
  }
  return shares;
}
