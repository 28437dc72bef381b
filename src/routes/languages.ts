import { slashes } from "./application-slashes.ts";
import { pathBelow } from "./below.ts";
import type { LanguageEntry, LanguageTable } from "./language-table.ts";

/** Where a link is written: the language of its page, and the origin that the visitor has in the address bar. */
export interface PresentLanguage {
  readonly lang: string;
  readonly origin: string;
  /** Texts of the framework in this language. In the browser they are learned when they have loaded. */
  readonly texts?: LearnedTexts;
}

export type LearnedTexts = Readonly<Record<string, string>>;

/** The language whose addresses have no prefix on a host; undefined if all have one. */
export function languageOfHost(table: LanguageTable, host: string): string | undefined {
  const own = table.list.find(({ domain }) => isAt(host, domain));
  return own?.lang ?? (table.prefixDefault ? undefined : table.default);
}

/** Takes the language off a path of the host: `/de/about` is `/about` in German. So is `/DE/about`. */
export function splitLanguage(
  table: LanguageTable,
  at: string,
  pathname: string,
): { lang: string | undefined; path: string } {
  const below = pathBelow(at, pathname);
  const [, first] = below?.split("/", 2) ?? [];
  const entry = first && entryOf(table, first);
  if (!entry || below === undefined) return { lang: undefined, path: pathname };
  return { lang: entry.lang, path: at + below.slice(first.length + 1) || "/" };
}

/** The language with this tag, in any case: `pt-br` is `pt-BR`. */
export function entryOf(table: LanguageTable, tag: string): LanguageEntry | undefined {
  const wanted = tag.toLowerCase();
  return table.list.find(({ lang }) => lang.toLowerCase() === wanted);
}

/** Whether the page at a path, which names no language, is translated into one. The default language has all pages. */
export function isTranslated({ only, except }: LanguageEntry, at: string, pathname: string): boolean {
  const path = pathBelow(at, pathname) ?? pathname;
  const isIn = (start: string): boolean => path === start || path.startsWith(`${start}/`);
  return (only?.some(isIn) ?? true) && !except?.some(isIn);
}

/** The language of an address of the host, by its prefix or by the host. */
export function languageOf(
  table: LanguageTable,
  at: string,
  { host, pathname }: Pick<URL, "host" | "pathname">,
): string {
  return splitLanguage(table, at, pathname).lang ?? languageOfHost(table, host) ?? table.default;
}

/**
 * Writes the language into an address of the host. One that already names a language stays as it is, and so does what
 * is no path of the application. A language that has a domain leads there from every other domain; on other hosts, such
 * as that of a developer, it has a prefix. A page that is not translated has its address in the default language.
 */
export function addressIn(
  table: LanguageTable,
  at: string,
  address: string,
  { lang: wanted, origin }: PresentLanguage,
): string {
  const [pathname = ""] = address.split(/[?#]/, 1);
  const below = /^\/(?!\/)/.test(pathname) ? pathBelow(at, pathname) : undefined;
  if (below === undefined || below.startsWith("/_") || splitLanguage(table, at, pathname).lang) return address;
  const [scheme, , host = ""] = origin.split("/");
  const entry = table.list.find((one) => one.lang === wanted);
  const lang = !entry || isTranslated(entry, at, pathname) ? wanted : table.default;
  const domain = table.list.find((one) => one.lang === lang)?.domain;
  if (domain && !isAt(host, domain) && table.list.some((one) => isAt(host, one.domain)))
    return `${scheme}//${domain}${address}`;
  if (languageOfHost(table, host) === lang) return address;
  return `${at}/${lang}${below === "/" && !slashes ? "" : below}${address.slice(pathname.length)}`;
}

/** A domain without a port is the host at every port. */
function isAt(host: string, domain: string | undefined): boolean {
  return domain !== undefined && (host === domain || host.split(":", 1)[0] === domain);
}
