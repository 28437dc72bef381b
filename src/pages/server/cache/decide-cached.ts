import { type BypassReason, type CacheDecision, silentRequestSignals } from "#signals";
import type { Locals } from "../author/define.ts";
import type { Decision } from "../decision.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Site } from "../site.ts";
import type { Visit } from "../visit.ts";
import { type SharedFacts, sharedFacts } from "./cache-key.ts";
import { type CachedEntry, CachedPages, type CacheQuery, type RenderingEnd } from "./cached-pages.ts";
import { invalidations } from "./invalidations.ts";
import { pageDepends } from "./page-depends.ts";
import type { CachePolicy } from "./policy.ts";
import { renderShared } from "./render-shared.ts";
import type { SharedDecision, SharedOutcome, SharedPage } from "./shared-page.ts";
import { openSharedVisit } from "./shared-visit.ts";
import { SpilledPages } from "./spilled-pages.ts";

export interface CachedDeps {
  /** Shows the page to this visitor alone. */
  alone: () => MaybePromise<Decision>;
  /** Runs the loads of a visit's page and decides what is shown. */
  show: (visit: Visit, locals: Locals) => MaybePromise<Decision>;
  /** The page shows the result of this visitor's form. */
  isFormResult: boolean;
}

/**
 * Decides a page by the server's cache. The request hook has run: what it chose for this visitor is applied to the
 * stored page. Every decision is reported.
 */
export function decideCached(
  visit: Visit,
  policy: CachePolicy,
  deps: CachedDeps,
): MaybePromise<Decision | SharedDecision> {
  const facts = deps.isFormResult ? ({ kind: "form-result" } as const) : sharedFacts(visit, policy);
  if ("kind" in facts) return bypass(visit, facts, deps);
  const pages = cachedPagesOf(visit.site);
  const found = pages.find(facts.key);
  if (found.kind === "fresh") return answerWith(visit, found.entry, "hit");
  if (found.kind === "personal") return bypass(visit, found.reason, deps);
  if (found.kind === "on-disk") return found.restored.then(() => decideCached(visit, policy, deps));
  if (found.kind === "absent") {
    const query = queryOf(visit, policy, { facts, deps, isAwaited: true });
    const { rendering, hasJoined } = pages.render(query);
    return rendering.ended.then((rendered) => answerRendered(visit, rendered, { hasJoined, deps }));
  }
  if (found.mayRefresh && pages.claimRefresh(facts.key)) {
    const query = queryOf(visit, policy, { facts, deps, isAwaited: false });
    visit.runAfter(async () => void (await pages.render(query).rendering.ended));
  }
  return answerWith(visit, found.entry, "stale");
}

function answerRendered(
  visit: Visit,
  rendered: RenderingEnd,
  { hasJoined, deps }: { hasJoined: boolean; deps: CachedDeps },
): MaybePromise<Decision | SharedDecision> {
  switch (rendered.kind) {
    case "page":
      note(visit, { kind: "miss", isShared: hasJoined });
      return sharedDecision(visit, rendered.page);
    case "failed":
      return answerWith(visit, rendered.last, "stale");
    case "personal":
      return bypass(visit, rendered.reason, deps);
    case "unstored": {
      const { decision, reason } = rendered;
      note(visit, { kind: "bypass", reason });
      visit.hasSharedFailure = reason.kind === "failed";
      return decision.kind === "shared" ? sharedDecision(visit, decision.page) : decision;
    }
  }
}

function answerWith(
  visit: Visit,
  { page, asOf, tookMs, failures }: CachedEntry,
  kind: "hit" | "stale",
): SharedDecision {
  const ageMs = clockOf(visit.site)() - asOf;
  const facts = { ageMs, savedMs: tookMs };
  note(visit, kind === "hit" ? { kind, ...facts } : { kind, ...facts, isFailing: failures > 0 });
  return sharedDecision(visit, page);
}

function bypass(visit: Visit, reason: BypassReason, { alone }: CachedDeps): MaybePromise<Decision> {
  note(visit, { kind: "bypass", reason });
  return alone();
}

function note(visit: Visit, decision: CacheDecision): void {
  visit.cached = decision;
  visit.signals.cached(decision);
}

/** What the loads chose when the page was rendered is applied to this response, over what the hook chose for it. */
function sharedDecision(visit: Visit, page: SharedPage): SharedDecision {
  if (page.headers.size > 0) {
    const { response } = visit.request;
    for (const { name, value } of page.headers.values())
      if (value === undefined) response.removeHeader(name);
      else response.setHeader(name, value);
  }
  return { kind: "shared", page };
}

interface QueryParts {
  facts: SharedFacts;
  deps: CachedDeps;
  /** Whether this request waits for the page. */
  isAwaited: boolean;
}

function queryOf(visit: Visit, policy: CachePolicy, { facts, deps, isAwaited }: QueryParts): CacheQuery {
  const { freshMs, staleMs, cookies } = policy;
  const signals = isAwaited ? visit.signals : silentRequestSignals;
  const render = async (): Promise<SharedOutcome> => {
    const shared = await openSharedVisit(visit, { facts, cookies, signals, isAwaited });
    return renderShared(shared, (one) => deps.show(one, {} as Locals));
  };
  return { key: facts.key, freshMs, staleMs, depends: pageDepends(visit, policy), render };
}

/** Pages that are being written to disk may need this share of the memory beside the cache. */
const writingShare = 4;

const caches = new WeakMap<Site, CachedPages>();

export function cachedPagesOf(site: Site): CachedPages {
  const known = caches.get(site);
  if (known) return known;
  const { limits, uploadFolder: folder, warn } = site;
  const now = clockOf(site);
  const { cachedBytes, cachedOnDiskBytes } = limits;
  const writingBytes = cachedBytes / writingShare;
  const disk = new SpilledPages({ folder, bytes: cachedOnDiskBytes, writingBytes, now, warn });
  const pages = new CachedPages({ now, limits, disk });
  caches.set(site, pages);
  invalidations.add(pages);
  return pages;
}

export function clockOf(site: Site): () => number {
  return site.now ?? Date.now;
}
