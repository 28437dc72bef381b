import { noStore } from "#http";

/** What a page's `cache` says, as far as CDNs are concerned. */
export interface EdgeCache {
  readonly freshSeconds: number;
  /** How much longer an old copy may be shown, while a new one is made or cannot be made. */
  readonly staleSeconds: number;
  readonly tags: readonly string[];
  /** Names of cookies and request headers by which versions of the page differ. */
  readonly cookies: readonly string[];
  readonly headers: readonly string[];
}

/** The document that is sent. */
export type EdgeCopy =
  /** The same for every visitor, rendered this long ago. */
  | { kind: "shared"; ageSeconds: number }
  /** For one visitor: it sets a cookie, is guarded, shows an error, or read something of the request. */
  | { kind: "own" };

/** How each CDN names the header with the tags of a page, and what is between them. */
const separators = { "Surrogate-Key": " ", "Cache-Tag": ",", "Edge-Cache-Tag": ",", xkey: " " } as const;

export type TagHeader = keyof typeof separators;

export const tagHeaders: readonly string[] = Object.keys(separators);

/** The CDN or proxy in front of the application. */
export interface EdgePolicy {
  /** Set only where tags are purged there when they are invalidated here. */
  readonly tagHeader: TagHeader | undefined;
  /** Cookies and headers that are part of its cache key. */
  readonly keyCookies: readonly string[];
  readonly keyHeaders: readonly string[];
  readonly unpurgedSeconds: number;
  readonly tagBytes: number;
}

export const edgeDefaults: EdgePolicy = {
  tagHeader: undefined,
  keyCookies: [],
  keyHeaders: [],
  // Long enough that an address costs the application one request in that time. People wait as long for a change.
  unpurgedSeconds: 10,
  // Varnish refuses a header line above 8 KiB; Akamai takes 8,192 bytes, Fastly and Cloudflare 16 KiB.
  tagBytes: 8_000,
};

/**
 * The headers that tell CDNs and browsers how long to keep a document, as a flat list. Browsers keep it only to compare
 * its ETag, because no purge reaches them.
 */
export function cdnHeaders(cache: EdgeCache, copy: EdgeCopy, edge: EdgePolicy): string[] {
  if (copy.kind === "own") return [...noStore];
  const tags = edge.tagHeader && writeTags(cache.tags, edge.tagHeader);
  const fits = tags === undefined || tags.length <= edge.tagBytes;
  if (!fits || !hasAllKeys(cache, edge)) return ["Cache-Control", "private, no-cache", ...varyBy(cache, edge)];
  const times = timesOf(cache, copy.ageSeconds, edge);
  return [
    "Cache-Control",
    `public, max-age=0, s-maxage=${times}`,
    "CDN-Cache-Control",
    `max-age=${times}`,
    ...varyBy(cache, edge),
    ...(edge.tagHeader && tags ? [edge.tagHeader, tags] : []),
  ];
}

/** CDNs ignore `Vary`, or make a copy for each text of the header. Only what is in their key is safe and useful. */
function hasAllKeys({ cookies, headers }: EdgeCache, { keyCookies, keyHeaders }: EdgePolicy): boolean {
  const lower = keyHeaders.map((name) => name.toLowerCase());
  return (
    cookies.every((name) => keyCookies.includes(name)) && headers.every((name) => lower.includes(name.toLowerCase()))
  );
}

function varyBy({ cookies, headers }: EdgeCache, { keyCookies }: EdgePolicy): string[] {
  const byCookie = cookies.some((name) => !keyCookies.includes(name));
  const names = [...headers, ...(byCookie ? ["Cookie"] : [])];
  return names.length === 0 ? [] : ["Vary", names.join(", ")];
}

/** The rest of the times, because nginx and others ignore `Age`. */
function timesOf({ freshSeconds, staleSeconds, tags }: EdgeCache, age: number, edge: EdgePolicy): string {
  const fresh = whole(freshSeconds - age);
  const stale = whole(Math.min(staleSeconds, freshSeconds + staleSeconds - age));
  const atMost = tags.length > 0 && !edge.tagHeader ? edge.unpurgedSeconds : Number.POSITIVE_INFINITY;
  const revalidate = Math.min(stale, atMost);
  return [
    Math.min(fresh, atMost),
    ...(revalidate > 0 ? [`stale-while-revalidate=${revalidate}`] : []),
    ...(stale > 0 ? [`stale-if-error=${stale}`] : []),
  ].join(", ");
}

function whole(seconds: number): number {
  return Math.max(0, Math.floor(seconds));
}

/** Spaces and commas separate tags, and a header has ASCII only. */
function writeTags(tags: readonly string[], header: TagHeader): string {
  return tags.map((tag) => tag.toWellFormed().replace(/[^!-~]+|[%,]/g, encodeURIComponent)).join(separators[header]);
}
