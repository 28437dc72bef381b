import type { StoreReader } from "../stores/store.ts";
import type { SeenRelease, TrendChange } from "./change-point.ts";

interface Changing {
  change: TrendChange | undefined;
}

interface Suspicion {
  /** Releases that were first seen in the period, oldest first. */
  seen: readonly SeenRelease[];
  /** The changes of a route, if these releases may explain them. */
  trend: (suspects: readonly SeenRelease[]) => {
    measures: readonly Changing[];
    errors: Changing;
    fullLoads: Changing;
  };
}

interface RouteViews {
  project: number;
  route: string;
  to: number;
  stepMs: number;
}

/** Each computes the changes again. After so many, only the releases that were found to be the route's own are left. */
const mostLooks = 5;

/**
 * Releases that may explain a change of a route. Those that it would name although most views since then are of others
 * are left out: they are of another application of the project, or were deployed at the same time.
 */
export async function ownReleases(
  store: Pick<StoreReader, "segments">,
  views: RouteViews,
  { seen, trend }: Suspicion,
): Promise<readonly SeenRelease[]> {
  const own = new Set<SeenRelease>();
  let suspects = seen;
  for (let look = 0; look < mostLooks; look += 1) {
    const { measures, errors, fullLoads } = trend(suspects);
    const named = new Set([...measures, errors, fullLoads].flatMap(({ change }) => change?.release ?? []));
    const open = suspects.filter((suspect) => named.has(suspect.release) && !own.has(suspect));
    if (open.length === 0) return suspects;
    const others = new Set<SeenRelease>();
    for (const suspect of open) {
      const to = beforeNext(seen, suspect, views.stepMs) ?? views.to;
      const isOwn = await hasMostViews(store, { ...views, to }, suspect);
      (isOwn ? own : others).add(suspect);
    }
    suspects = suspects.filter((suspect) => !others.has(suspect));
  }
  return suspects.filter((suspect) => own.has(suspect));
}

/** The last moment before a later release. One of the same step began together with this one. */
function beforeNext(seen: readonly SeenRelease[], { at }: SeenRelease, stepMs: number): number | undefined {
  const next = seen.find((other) => other.at >= at + stepMs);
  return next && next.at - 1;
}

/** More would not change which release most of them have. */
const viewsLookedAt = 100;
const shareOfViews = 0.5;

/** Whether at least half of the sampled views are of the release. Without any it is unknown, so it is not named. */
async function hasMostViews(
  store: Pick<StoreReader, "segments">,
  { project, route, to }: RouteViews,
  { release, at }: SeenRelease,
): Promise<boolean> {
  const views = await store.segments({ project, route, from: at, to, limit: viewsLookedAt });
  const own = views.filter((view) => view.release === release).length;
  return own > 0 && own >= views.length * shareOfViews;
}
