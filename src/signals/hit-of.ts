import type { HitFacts, RequestFacts, RequestSignals, ServerSignals } from "./signals.ts";

/** Tells a listener about a hit, also one that knows whole requests only. Returns the text for the page. */
export function hitOf(signals: ServerSignals, facts: RequestFacts, hit: HitFacts): string {
  if (signals.hit) return signals.hit(facts, hit);
  return signals.request(facts, (request) => endHit(request, hit));
}

/** Everything that happens to a request that a stored page answers, until its response has ended. */
export function endHit(request: RequestSignals, hit: HitFacts): string {
  request.matched(hit.route, hit.params, hit.variant, hit.budget);
  request.cached(hit.decision);
  const handOver = hit.variant === "document" ? request.handOver : "";
  endWith(request, hit);
  return handOver;
}

/** A client may leave before the end, and a server that has no room for the response sends another one. */
function endWith(request: RequestSignals, { status, response }: HitFacts): void {
  if (!response) return request.ended({ status, kind: "answered" });
  const end = (): void => {
    const kind = response.writableFinished ? "answered" : "aborted";
    request.ended({ status: response.statusCode, kind });
  };
  if (response.destroyed) end();
  else response.once("close", end);
}
