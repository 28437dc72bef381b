import { noStore } from "#http";

/** What a page's `cache` says, as far as CDNs are concerned. */
export interface EdgeCache {
  readonly freshSeconds: number;
  /** How much longer an old copy may be shown, while a new one is made or cannot be made. */
  readonly staleSeconds: number;
  /** Names of the cookies by which versions of the page differ. */
  readonly cookies: readonly string[];
  /** What the page depends on. */
  readonly tags: readonly string[];
}

/** The document that is sent. */
export type EdgeCopy =
  /** The same for every visitor, rendered this long ago. */
  | { kind: "shared"; ageSeconds: number }
  /** The same, but something of this visitor decided that it is sent, or is sent with it: only the browser keeps it. */
  | { kind: "private" }
  /** For this visitor, or for this moment: it reads something of the visitor, or is no 200. */
  | { kind: "own" };

/** How each CDN names the header with the tags of a page, and what is between them. */
const separators = { "Surrogate-Key": " ", "Cache-Tag": ",", "Edge-Cache-Tag": ",", xkey: " " } as const;

export type TagHeader = keyof typeof separators;

export const tagHeaders: readonly string[] = Object.keys(separators);

/** The CDN or proxy in front of the application. */
export interface EdgePolicy {
  /** Set only where tags are purged there when they are invalidated here. */
  readonly tagHeader?: TagHeader;
  /** Cookies that are part of its cache key. */
  readonly keyCookies: readonly string[];
  readonly unpurgedSeconds: number;
  readonly tagBytes: number;
}

export const edgeDefaults: EdgePolicy = {
  keyCookies: [],
  // An address costs the application one request in that time, and people wait no longer for a change.
  unpurgedSeconds: 10,
  // Varnish refuses a header line above 8 KiB; Akamai takes 8,192 bytes, Fastly and Cloudflare 16 KiB.
  tagBytes: 8_000,
};

/**
 * The headers that tell CDNs and browsers how long to keep a document, as a flat list. Browsers keep it only to compare
 * its ETag, because no purge reaches them. Without an edge nothing is public.
 */
export function cdnHeaders(cache: EdgeCache, copy: EdgeCopy, edge: EdgePolicy | undefined): string[] {
  if (copy.kind === "own") return [...noStore];
  if (!edge || copy.kind === "private") return [...forBrowsers];
  const { tagHeader } = edge;
  const tags = tagHeader && writeTags(cache.tags, tagHeader);
  const fits = tags === undefined || tags.length <= edge.tagBytes;
  // CDNs ignore `Vary: Cookie`, or make a copy for each visitor.
  if (!fits || !cache.cookies.every((name) => edge.keyCookies.includes(name))) return [...forBrowsers];
  const times = timesOf(cache, copy.ageSeconds, edge);
  return [
    "Cache-Control",
    `public, max-age=0, s-maxage=${times}`,
    "CDN-Cache-Control",
    `max-age=${times}`,
    ...(tagHeader && tags ? [tagHeader, tags] : []),
  ];
}

/** Whether these headers let other visitors have the document. */
export function isPublic(headers: readonly string[]): boolean {
  return headers.includes("CDN-Cache-Control");
}

/** Browsers keep the document, and ask each time whether it has changed. */
export const forBrowsers: readonly string[] = ["Cache-Control", "private, no-cache"];

/** The rest of the times, because nginx and others ignore `Age`. */
function timesOf({ freshSeconds, staleSeconds }: EdgeCache, age: number, edge: EdgePolicy): string {
  const fresh = whole(freshSeconds - age);
  const stale = whole(Math.min(staleSeconds, freshSeconds + staleSeconds - age));
  const atMost = edge.tagHeader ? Number.POSITIVE_INFINITY : edge.unpurgedSeconds;
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
