import type { ContextParams, Language } from "#routes";
import * as pageErrors from "../../errors.ts";
import type { ServerModule } from "../../parts.ts";

/** Seconds, or a text: `"30s"`, `"5m"`, `"2h"`, `"1d"`. */
export type Duration = number | `${number}${"s" | "m" | "h" | "d"}`;

/** What the tags of a cached page may depend on. */
export interface CacheContext<Id extends string = string> {
  readonly params: ContextParams<Id>;
  readonly lang: Language;
}

/**
 * The `cache` export of a page's server half: the server keeps the rendered page and its data for all visitors. What
 * reads something of one visitor is never kept.
 *
 * @example export const cache: PageCache = { fresh: "5m", stale: "1h", tags: ["orders"] };
 */
export interface PageCache<Id extends string = string> {
  /** How long a page is sent as it is. */
  readonly fresh: Duration;
  /** How much longer it is sent at once while a new one is rendered; as long as `fresh` unless it is given. */
  readonly stale?: Duration;
  /** What the page depends on, beside the tags of its loads and its path. `invalidate` of one of them removes it. */
  readonly tags?: readonly string[] | ((context: CacheContext<Id>) => readonly string[]);
  /** What distinguishes the pages of one path. */
  readonly vary?: {
    /** Names in the search that the page reads; it sees no others. Without this list the whole search counts. */
    readonly search?: readonly string[];
    /** Cookies that the page may read, each with few values, such as a currency. It sees no others. */
    readonly cookies?: readonly string[];
  };
}

/** The same, checked. */
export interface CachePolicy {
  freshMs: number;
  staleMs: number;
  tags: readonly string[] | ((context: CacheContext) => readonly string[]);
  /** Undefined: the whole search. */
  search: readonly string[] | undefined;
  cookies: readonly string[];
}

/** Reads `cache` of a server half. A text is a `Cache-Control`, which has no policy. */
export function readCachePolicy(server: ServerModule | undefined, file: string): CachePolicy | undefined {
  const value = server?.cache;
  if (value === undefined || typeof value === "string") return undefined;
  const { fresh, stale = fresh, tags = [], vary = {}, ...unknown } = Object(value) as Record<string, unknown>;
  const { search, cookies = [], ...otherVary } = Object(vary) as Record<string, unknown>;
  const [surprise] = Object.keys(unknown);
  if (surprise !== undefined) throw wrong(file, surprise, unknownName, "one of fresh, stale, tags, vary");
  const [otherSurprise] = Object.keys(otherVary);
  if (otherSurprise !== undefined) throw wrong(file, `vary.${otherSurprise}`, unknownName, "one of search, cookies");
  if (typeof tags !== "function" && !isNames(tags)) throw wrong(file, "tags", JSON.stringify(tags), ofNames);
  if (search !== undefined && !isNames(search)) throw wrong(file, "vary.search", JSON.stringify(search), ofNames);
  if (!isNames(cookies)) throw wrong(file, "vary.cookies", JSON.stringify(cookies), ofNames);
  return {
    freshMs: readDuration(file, "fresh", fresh),
    staleMs: readDuration(file, "stale", stale),
    tags: tags as CachePolicy["tags"],
    search,
    cookies,
  };
}

const ofNames = "a list of texts";
const unknownName = "a name that is not known";
const msOf: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function readDuration(file: string, name: string, value: unknown): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(String(value)) ?? [];
  const ms = typeof value === "number" ? value * 1_000 : Number(digits) * (msOf[unit] ?? Number.NaN);
  if (ms >= 0 && ms < Number.POSITIVE_INFINITY) return ms;
  throw wrong(file, name, JSON.stringify(value) ?? "nothing", 'a number of seconds, or a text such as "30s" or "5m"');
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "");
}

function wrong(file: string, name: string, got: string, expected: string): Error {
  return pageErrors.wrongServerExport(file, `cache.${name}`, got, expected);
}
