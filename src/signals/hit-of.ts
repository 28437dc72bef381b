import type { HitFacts, RequestFacts, RequestSignals, ServerSignals } from "./signals.ts";

/** Tells a listener about a hit, also one that knows whole requests only. Returns the text for the page. */
export function hitOf(signals: ServerSignals, facts: RequestFacts, hit: HitFacts): string {
  if (signals.hit) return signals.hit(facts, hit);
  return signals.request(facts, (request) => endHit(request, hit));
}

/** Everything that happens to a request that a stored page answers. */
export function endHit(request: RequestSignals, hit: HitFacts): string {
  request.matched(hit.route, hit.params, hit.variant, hit.budget);
  request.cached(hit.decision);
  const handOver = hit.variant === "document" ? request.handOver : "";
  request.ended({ status: hit.status, kind: "answered" });
  return handOver;
}
