import * as pageErrors from "../../errors.ts";
import { notFound } from "./outcome.ts";
import { type SitePages, visitScope } from "./visit-scope.ts";

/** A page in a sitemap: its path, as `href` writes it, or with the time of its last change. */
export type SitemapEntry = string | { path: string; lastModified?: Date | string };

type Entries = Iterable<SitemapEntry> | AsyncIterable<SitemapEntry>;

export interface SitemapOptions {
  /** Pages whose addresses have parameters. Called for each request. */
  entries?: () => Entries | Promise<Entries>;
  /**
   * Which pages without parameters are listed: those that no guard protects (`open`, the default), `all`, or `none`.
   */
  pages?: "open" | "all" | "none";
  /** Paths that are not listed, with all below them: `["/drafts"]`. */
  exclude?: readonly string[];
  /** Limits of one file. Beyond them, the sitemap is an index of several files. */
  limits?: Partial<SitemapLimits>;
}

export interface SitemapLimits {
  urls: number;
  bytes: number;
}

/** What search engines accept: https://www.sitemaps.org/protocol.html. The limit is 50 MB in their count of 2^20. */
const usualLimits: SitemapLimits = { urls: 50_000, bytes: 50_000_000 };

/** Crawlers come often. Pages that are new appear an hour later at most. */
const cacheSeconds = 3_600;

/**
 * The sitemap of the application, as `GET` of an API route: its pages without parameters, and the entries of all
 * others, each in all its languages.
 *
 * @example
 * export const GET = sitemap({ entries: async () => (await orders()).map(({ id }) => href("/orders/[id]", { id })) });
 */
export function sitemap(options: SitemapOptions = {}): (request: Request) => Promise<Response> {
  const limits = { ...usualLimits, ...options.limits };
  for (const name of ["urls", "bytes"] as const)
    if (!Number.isInteger(limits[name]) || limits[name] < 1 || limits[name] > usualLimits[name])
      throw pageErrors.wrongSitemapLimit(name, limits[name], usualLimits[name]);
  return async (request) => {
    const pages = visitScope.getStore()?.sitePages;
    if (!pages) throw pageErrors.sitemapOutsideRequest();
    const url = new URL(request.url);
    const part = url.searchParams.get("part");
    const files = new SitemapFiles(limits, part === null ? 1 : Number(part));
    for await (const entry of entriesOf(pages, options)) for (const line of linesOf(pages, entry)) files.add(line);
    if (part === null && files.count > 1) return xmlResponse(writeIndex(url.origin + url.pathname, files.count));
    return files.has ? xmlResponse(files.write()) : notFound();
  };
}

async function* entriesOf(pages: SitePages, options: SitemapOptions): AsyncGenerator<SitemapEntry> {
  const { entries, exclude = [], pages: which = "open" } = options;
  const isListed = (path: string): boolean => !exclude.some((start) => path === start || path.startsWith(`${start}/`));
  if (which !== "none") yield* (await pages.paths(which)).filter(isListed);
  if (entries) yield* await entries();
}

/** One line for each language of the page. */
function linesOf(pages: SitePages, entry: SitemapEntry): string[] {
  const { path, lastModified } = typeof entry === "string" ? { path: entry } : entry;
  if (!/^\/(?!\/)/.test(path)) throw pageErrors.wrongSitemapPath(path);
  const changed = lastModified === undefined ? "" : `<lastmod>${writeTime(path, lastModified)}</lastmod>`;
  const addresses = pages.addressesOf(path);
  if (addresses.kind === "one") return [`<url><loc>${escapeXml(addresses.url)}</loc>${changed}</url>\n`];
  const alternate = (lang: string, url: string): string =>
    `<xhtml:link rel="alternate" hreflang="${escapeXml(lang)}" href="${escapeXml(url)}"/>`;
  const links = [...addresses.all.map(({ lang, url }) => alternate(lang, url)), alternate("x-default", addresses.main)];
  return addresses.all.map(({ url }) => `<url><loc>${escapeXml(url)}</loc>${changed}${links.join("")}</url>\n`);
}

/** Counts the files of a sitemap, and keeps the lines of one of them. */
class SitemapFiles {
  readonly #limits: SitemapLimits;
  readonly #wanted: number;
  readonly #lines: string[] = [];
  #count = 1;
  #urls = 0;
  #bytes = begin.length + end.length;

  constructor(limits: SitemapLimits, wanted: number) {
    this.#limits = limits;
    this.#wanted = wanted;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether there is a file of the wanted number. The first is always there. */
  get has(): boolean {
    return this.#wanted === 1 || this.#lines.length > 0;
  }

  /** Lines are ASCII: addresses and times have no other characters. */
  add(line: string): void {
    if (this.#urls === this.#limits.urls || this.#bytes + line.length > this.#limits.bytes) {
      this.#count += 1;
      this.#urls = 0;
      this.#bytes = begin.length + end.length;
    }
    this.#urls += 1;
    this.#bytes += line.length;
    if (this.#count === this.#wanted) this.#lines.push(line);
  }

  write(): string {
    return begin + this.#lines.join("") + end;
  }
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";
const begin = `${declaration}<urlset xmlns="${namespace}" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n`;
const end = "</urlset>\n";

function writeIndex(address: string, count: number): string {
  const parts = Array.from({ length: count }, (_, index) => `${address}?part=${index + 1}`);
  const lines = parts.map((part) => `<sitemap><loc>${escapeXml(part)}</loc></sitemap>\n`);
  return `${declaration}<sitemapindex xmlns="${namespace}">\n${lines.join("")}</sitemapindex>\n`;
}

function writeTime(path: string, time: Date | string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw pageErrors.wrongSitemapTime(path, String(time));
  // A day stays a day.
  return typeof time === "string" && /^\d{4}-\d\d-\d\d$/.test(time) ? time : date.toISOString();
}

function xmlResponse(text: string): Response {
  return new Response(text, {
    headers: { "content-type": "application/xml; charset=utf-8", "cache-control": `public, max-age=${cacheSeconds}` },
  });
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
