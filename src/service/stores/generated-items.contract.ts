import type { FiledEvent, FiledItem, SegmentKind } from "./filed.ts";
import { anEvent, hex } from "./filed-examples.ts";
import { jsonOfSpans } from "./values/spans-json.ts";

const hourMs = 3_600_000;
const routes = ["/", "/cart", "/cart/[id]", "/orders/[id]", "/search"] as const;
const environments = ["production", "production", "staging", undefined] as const;
const levels = ["error", "error", "error", "warning", "fatal", "info"] as const;
const kinds: readonly SegmentKind[] = ["pageload", "navigation", "request", "task"];

interface Amount {
  readonly count: number;
  readonly from: number;
  readonly weeks: number;
}

/** Items of every kind over some weeks and two projects, the same on every run. Some come twice. */
export function generatedItems(amount: Amount): FiledItem[] {
  return [...generatedChunks(amount, amount.count)].flat();
}

/** The same, for more than fits into memory. */
export function* generatedChunks({ count, from, weeks }: Amount, perChunk: number): Generator<FiledItem[]> {
  const below = randomFrom(42);
  const stepMs = (weeks * 7 * 24 * hourMs) / count;
  let latest: FiledItem[] = [];
  let chunk: FiledItem[] = [];
  for (let n = 0; n < count; n += 1) {
    const at = Math.floor(from + n * stepMs);
    const again = below(50) === 0 ? latest[latest.length - 1 - below(latest.length)] : undefined;
    const item = again === undefined ? itemOf(n, at, below) : { ...again, receivedAt: at };
    latest = [...latest.slice(-29), item];
    chunk.push(item);
    if (chunk.length < perChunk) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

type Below = (end: number) => number;

function itemOf(n: number, at: number, below: Below): FiledItem {
  const row = { rowId: 0, project: 1 + Number(below(5) === 0), receivedAt: at };
  const release = `${1 + Math.floor(n / 500)}.${below(3)}.0`;
  const environment = environments[below(environments.length)];
  switch (below(12)) {
    case 0:
    case 1:
      return spansOf(n, at, below, { ...row, release, environment });
    case 2: {
      const ended = (["well", "well", "with-errors", "crashed", "abnormal"] as const)[below(5)] ?? "well";
      return { kind: "session", ...row, sessionId: `s${below(200)}`, startedAt: at, ended, release, environment };
    }
    case 3:
      return otherOf(n, at, below, { ...row, release, environment });
    default:
      return eventOf(n, at, below, { ...row, release, environment });
  }
}

interface RowFacts {
  rowId: number;
  project: number;
  receivedAt: number;
  release: string;
  environment: string | undefined;
}

function eventOf(n: number, at: number, below: Below, row: RowFacts): FiledEvent {
  // A few errors are frequent, many are rare.
  const text = `Problem ${Math.floor(below(40) * (below(100) / 100))} of the cart`;
  const route = routes[below(routes.length)] ?? "/";
  const visitor = below(4) === 0 ? undefined : 1_000 + below(1_500);
  return anEvent({
    ...row,
    eventId: hex(`generated ${n}`),
    otherId: below(40) === 0 ? hex(`other ${n}`) : undefined,
    text,
    at: at - below(60_000),
    title: { type: "Error", text: `${text} (${n})`, culprit: `src/cart.ts:${below(3)} total` },
    level: levels[below(levels.length)] ?? "error",
    route,
    traceId: below(3) === 0 ? hex(`trace ${below(300)}`) : undefined,
    visitor,
    session: visitor === undefined ? 500_000 + below(100) : undefined,
    aliases: visitor === undefined ? [] : [2_000_000 + visitor],
    tags: [
      ["route", route],
      ["environment", row.environment ?? "none"],
      ["order", `${below(400)}`],
    ],
    stackText: `src/cart.ts total${below(4)}`,
    searchText: `Error ${text} src/cart.ts total Größe ${route}`,
    chunks: [{ debugId: below(5) === 0 ? undefined : hex(`chunk ${below(6)}`), file: "/a.js", mapped: below(2) === 0 }],
  });
}

function spansOf(n: number, at: number, below: Below, row: RowFacts): FiledItem {
  const { release, environment, ...rest } = row;
  const traceId = hex(`trace ${below(300)}`);
  const spanId = hex(`span ${n}`).slice(0, 16);
  const route = routes[below(routes.length)] ?? "/";
  const durationMs = 10 + below(5_000) / 7;
  return {
    kind: "spans",
    ...rest,
    traceId,
    key: n,
    at,
    body: jsonOfSpans([
      {
        traceId,
        spanId,
        name: route,
        startMs: at,
        endMs: at + 5,
        isSegment: true,
        status: "ok",
        attributes: {},
        links: [],
      },
    ]),
    segments: [
      {
        spanId,
        route,
        op: kinds[below(kinds.length)] ?? "task",
        at,
        durationMs,
        status: "ok",
        release,
        environment,
        visitor: 1_000 + below(1_500),
        session: undefined,
      },
    ],
    measures: [
      { route: "unknown", segmentId: spanId, measure: "pageload", at, value: durationMs, release },
      { route, measure: "lcp", at, value: 100 + below(3_000), release: undefined },
    ],
    counts: [{ name: "holdfast.navigation", route, label: "committed", at, n: 1 + below(3) }],
  };
}

function otherOf(n: number, at: number, below: Below, row: RowFacts): FiledItem {
  const { release, environment, ...rest } = row;
  switch (below(7)) {
    case 0:
      return {
        kind: "logs",
        ...rest,
        lines: [
          { at, level: "info", body: `Order ${n} saved`, traceId: hex(`trace ${below(300)}`), attributes: { n } },
          { at: at + 1, level: "error", body: `Order ${n} lost`, attributes: {} },
        ],
      };
    case 1:
      return {
        kind: "metrics",
        ...rest,
        measures: [{ route: "/", measure: "own", at, value: below(99), release }],
        counts: [{ name: "own.count", route: "/", label: `l${below(4)}`, at, n: 0.5 }],
      };
    case 2: {
      const who = { name: "Jo", email: undefined, url: undefined };
      const eventId = hex(`generated ${below(n + 1)}`);
      const facts = below(2) === 0 ? {} : { route: "/cart", steps: [{ text: `step ${n}` }] };
      return {
        kind: "feedback",
        ...rest,
        at,
        eventId,
        ...who,
        message: `note ${n}`,
        ownId: hex(`note ${below(n + 1)}`),
        facts,
      };
    }
    case 3: {
      const status = (["ok", "error", "in_progress"] as const)[below(3)] ?? "ok";
      const plan = undefined;
      return {
        kind: "check-in",
        ...rest,
        at,
        monitor: `m${below(3)}`,
        checkInId: undefined,
        status,
        durationMs: 5,
        environment,
        plan,
      };
    }
    case 4:
      return {
        kind: "attachment",
        ...rest,
        eventId: hex(`generated ${below(n + 1)}`),
        eventRow: undefined,
        filename: `${n}.txt`,
        contentType: undefined,
        bytes: Buffer.from(`attachment ${n}`),
      };
    case 5:
      return {
        kind: "session-counts",
        ...rest,
        startedAt: at,
        started: 5,
        errored: 2,
        crashed: 1,
        abnormal: 0,
        release,
        environment,
      };
    default:
      return {
        kind: "discards",
        ...rest,
        discards: [{ reason: "sample_rate", category: "error", at, n: 1 + below(9) }],
      };
  }
}

/** Numbers from 0 up to an end, without it. */
function randomFrom(seed: number): Below {
  let state = seed;
  return (end) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % end;
  };
}
