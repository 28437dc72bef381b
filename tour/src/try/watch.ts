import { onSignal, type Signal } from "holdfast";
import { standBetween } from "./break-requests.ts";

/** What the panels show: kept per tab, so that it survives the full page loads it tells of. */
export interface Watched {
  navigations: readonly EndedNavigation[];
  /** Addresses of the prefetches that run at this moment. */
  running: readonly string[];
  cached: readonly CachedPage[];
  /** Automatic full loads of the last minute, by time. */
  fullLoads: readonly { at: number; reason: string; allowed: boolean }[];
  /** What the reporter of this tab has sent, the latest first. */
  envelopes: readonly SentEnvelope[];
  /** The trace that the last request for page data belongs to. */
  trace: { id: string; of: string; sampled: boolean } | undefined;
}

export interface SentEnvelope {
  at: number;
  /** `event`, `transaction`, `session`: what its items are. */
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
  /** On the wall clock, because this page may be a later document than the one that fetched it. */
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

/** Begins with the first panel and never ends: what happens between two pages must not be missed. */
function watch(): void {
  if (watching) return;
  watching = true;
  // A new document has an empty prefetch cache; what it did before is still worth reading.
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
      // A form changed something: everything fetched before it is forgotten.
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

/** Slots, traces and envelopes are read where they cannot lie: at the requests themselves. */
function watchRequests(): void {
  const well = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    const path = pathOf(String(input)).replace(/\/_data(?=\?|$)/, "");
    if (path === "/_holdfast/post") return noteEnvelope(await well(input, init), init?.body);
    noteTrace(path, headers.get("sentry-trace"));
    if (!headers.has("purpose")) return well(input, init);
    change({ ...watched, running: [...watched.running, path] });
    let over = false;
    const ended = (): void => {
      if (!over) change({ ...watched, running: without(watched.running, path) });
      over = true;
    };
    init?.signal?.addEventListener("abort", ended);
    try {
      const answer = await well(input, init);
      const body = answer.body?.pipeThrough(new TransformStream({ flush: ended })) ?? null;
      return new Response(body, answer);
    } catch (error) {
      ended();
      throw error;
    }
  };
}

/**
 * A report is lines of JSON: one for the whole, then two for each thing in it, of which the first begins with its type.
 */
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

/** Written by this file alone, and read by none other. */
function readKept(): Watched {
  const text = sessionStorage.getItem(storageKey);
  return text === null ? nothing : { ...nothing, ...(JSON.parse(text) as Watched) };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}
