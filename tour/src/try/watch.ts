import { onSignal, type Signal } from "holdfast";

/** What the panels show: kept per tab, so that it survives the full page loads it tells of. */
export interface Watched {
  navigations: readonly EndedNavigation[];
  /** Addresses of the prefetches that run at this moment. */
  running: readonly string[];
  cached: readonly CachedPage[];
  /** Automatic full loads of the last minute, by time. */
  fullLoads: readonly { at: number; reason: string; allowed: boolean }[];
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

const nothing: Watched = { navigations: [], running: [], cached: [], fullLoads: [] };
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
  watchPrefetches();
}

function after(before: Watched, signal: Signal): Watched {
  const at = Date.now();
  switch (signal.kind) {
    case "navigation-ended": {
      const { navigation, outcome, ms } = signal;
      const ended = { at, to: pathOf(navigation.to), end: wordsFor(outcome), ms };
      return { ...before, navigations: [ended, ...before.navigations].slice(0, 6) };
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

/** The slots are counted where they cannot lie: at the requests themselves. */
function watchPrefetches(): void {
  const well = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    if (!new Headers(init?.headers).has("purpose")) return well(input, init);
    const path = pathOf(String(input)).replace(/\/_data(?=\?|$)/, "");
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
