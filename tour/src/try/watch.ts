import { onSignal, type Signal } from "holdfast";
import { standBetween } from "./break-requests.ts";

/** State of the panels, stored per tab, so that it survives full page loads. */
export interface Watched {
  navigations: readonly EndedNavigation[];
  /** Addresses of running prefetches. */
  running: readonly string[];
  cached: readonly CachedPage[];
  /** Automatic full loads of the last minute, by time. */
  fullLoads: readonly { at: number; reason: string; allowed: boolean }[];
  /** Envelopes that this tab's reporter has sent, newest first. */
  envelopes: readonly SentEnvelope[];
  /** Trace of the last page-data request. */
  trace: { id: string; of: string; sampled: boolean } | undefined;
}

export interface SentEnvelope {
  at: number;
  /** Types of its items: `event`, `transaction`, `session`. */
  items: readonly string[];
  bytes: number;
}

export interface EndedNavigation {
  at: number;
  to: string;
  end: string;
  ms: number;
}

export interface CachedPage {
  path: string;
  /** Wall clock, because another document may have fetched it. */
  storedAt: number;
}

const nothing: Watched = { navigations: [], running: [], cached: [], fullLoads: [], envelopes: [], trace: undefined };
const storageKey = "tour-watched";
const listeners = new Set<() => void>();
let watched = nothing;
let watching = false;

export function subscribe(listener: () => void): () => void {
  watch();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function current(): Watched {
  return watched;
}

export function atFirst(): Watched {
  return nothing;
}

/** Starts with the first panel and never ends, so that nothing between two pages is missed. */
function watch(): void {
  if (watching) return;
  watching = true;
  // A new document has an empty prefetch cache; the history of the earlier one stays.
  change({ ...readKept(), running: [], cached: [] });
  onSignal((signal) => change(after(watched, signal)));
  standBetween();
  watchRequests();
}

function after(before: Watched, signal: Signal): Watched {
  const at = Date.now();
  switch (signal.kind) {
    case "navigation-ended": {
      const { navigation, outcome, ms } = signal;
      const ended = { at, to: pathOf(navigation.to), end: wordsFor(outcome), ms };
      // A submission changes data, so the prefetched pages are dropped.
      const cached = navigation.kind === "submit" ? [] : before.cached;
      return { ...before, cached, navigations: [ended, ...before.navigations].slice(0, 6) };
    }
    case "prefetch-ended": {
      if (signal.outcome !== "stored" && signal.outcome !== "joined") return before;
      const path = pathOf(signal.url);
      const others = before.cached.filter((page) => page.path !== path);
      return { ...before, cached: [{ path, storedAt: at }, ...others].slice(0, 200) };
    }
    case "prefetch-used":
      if (signal.use === "fresh" || signal.use === "stale") return before;
      return { ...before, cached: before.cached.filter(({ path }) => path !== pathOf(signal.url)) };
    case "full-load":
      return {
        ...before,
        fullLoads: [...before.fullLoads, { at, reason: signal.reason, allowed: signal.allowed }].slice(-8),
      };
    default:
      return before;
  }
}

function wordsFor(outcome: Extract<Signal, { kind: "navigation-ended" }>["outcome"]): string {
  switch (outcome.kind) {
    case "committed":
      return `committed, ${outcome.status === 200 ? outcome.data : outcome.status}`;
    case "handed-over":
    case "failed":
      return `${outcome.kind}: ${outcome.reason}`;
    default:
      return outcome.kind;
  }
}

/** Reads slots, traces and envelopes from the requests themselves, which cannot be wrong. */
function watchRequests(): void {
  const originalFetch = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    const path = pathOf(String(input)).replace(/\/_data(?=\?|$)/, "");
    if (path === "/_holdfast/post") return noteEnvelope(await originalFetch(input, init), init?.body);
    noteTrace(path, headers.get("sentry-trace"));
    if (!headers.has("purpose")) return originalFetch(input, init);
    change({ ...watched, running: [...watched.running, path] });
    let over = false;
    const ended = (): void => {
      if (!over) change({ ...watched, running: without(watched.running, path) });
      over = true;
    };
    init?.signal?.addEventListener("abort", ended);
    try {
      const answer = await originalFetch(input, init);
      const body = answer.body?.pipeThrough(new TransformStream({ flush: ended })) ?? null;
      return new Response(body, answer);
    } catch (error) {
      ended();
      throw error;
    }
  };
}

/** A report is lines of JSON: one header, then two lines for each item, the first of which begins with its type. */
function noteEnvelope(answer: Response, body: BodyInit | null | undefined): Response {
  if (typeof body !== "string" || !answer.ok) return answer;
  const items = [...body.matchAll(/^\{"type":"(\w+)"/gm)].map(([, type = ""]) => type);
  const sent = { at: Date.now(), items: [...new Set(items)], bytes: body.length };
  change({ ...watched, envelopes: [sent, ...watched.envelopes].slice(0, 5) });
  return answer;
}

function noteTrace(path: string, header: string | null): void {
  const [, id, sampled] = /^([0-9a-f]{32})-[0-9a-f]{16}(?:-([01]))?$/.exec(header ?? "") ?? [];
  if (id) change({ ...watched, trace: { id, of: path, sampled: sampled === "1" } });
}

function without(paths: readonly string[], path: string): readonly string[] {
  const at = paths.indexOf(path);
  return at < 0 ? paths : paths.toSpliced(at, 1);
}

function change(next: Watched): void {
  watched = next;
  sessionStorage.setItem(storageKey, JSON.stringify(next));
  for (const listener of listeners) listener();
}

/** Only this file writes the key. */
function readKept(): Watched {
  const text = sessionStorage.getItem(storageKey);
  return text === null ? nothing : { ...nothing, ...(JSON.parse(text) as Watched) };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}
