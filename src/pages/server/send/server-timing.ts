import { bypassName, type CacheDecision, describeBypass } from "#signals";
import type { Visit } from "../visit.ts";

/**
 * `Server-Timing` of a document: what the cache did, and the trace for the browser. A document that a CDN stores has no
 * trace: all its visitors would be in the same one.
 */
export function timingOf({ cached, site, signals }: Visit, isPublic = false): string[] {
  const trace = isPublic ? "" : signals.handOver;
  const timing = writeTiming(cached ? cacheTiming(cached, site.development) : "", trace);
  return timing === "" ? none : ["Server-Timing", timing];
}

/** Both parts in one value. Either may be empty. */
export function writeTiming(cache: string, trace: string): string {
  return cache === "" || trace === "" ? cache + trace : `${cache}, ${trace}`;
}

const none: string[] = [];

/** `cache;desc="hit", age;dur=5200, saved;dur=34`. In development a bypass says what was read, and where. */
export function cacheTiming(decision: CacheDecision, development: boolean): string {
  const { kind } = decision;
  if (kind === "miss") return decision.isShared ? 'cache;desc="miss, shared"' : 'cache;desc="miss"';
  if (kind === "bypass") {
    const { reason } = decision;
    const detail = development ? describeBypass(decision.reason) : bypassName(reason);
    return `cache;desc="bypass: ${inHeader(detail)}"`;
  }
  const desc = kind === "stale" && decision.isFailing ? "stale, failing" : kind;
  return `cache;desc="${desc}", age;dur=${Math.round(decision.ageMs)}, saved;dur=${Math.round(decision.savedMs)}`;
}

/** A quoted text of ASCII: names come from the application. */
function inHeader(text: string): string {
  return text.replaceAll(/[^ !#-[\]-~]/g, "?");
}
