import type { IncomingMessage } from "node:http";
import { parseCookie } from "cookie";
import {
  addressIn,
  isTranslated,
  type LanguageTable,
  languageOf,
  languageOfHost,
  type PresentLanguage,
  spellAddress,
  splitLanguage,
} from "#routes";
import { languageCookie } from "../../page-data.ts";
import type { ApplicationLanguages } from "../../parts.ts";
import * as english from "../../texts/english.ts";
import type { Application } from "../application.ts";
import { htmlAttributes } from "../html-attributes.ts";
import type { PageTarget } from "../read-target.ts";
import type { StaticLanguage } from "../send/static-pages.ts";
import { acceptedLanguage } from "./accepted-language.ts";
import type { SpokenLanguage } from "./spoken-language.ts";

export type LanguageOfRequest =
  | ({ kind: "spoken" } & SpokenLanguage)
  | { kind: "redirect"; to: string; status: 302 | 308; varies: boolean };

/** Reads the language of requests. One for each application that has languages. */
export class SiteLanguages {
  readonly table: LanguageTable;
  readonly #application: Application;

  readonly #texts: ApplicationLanguages["texts"];

  constructor({ table, texts }: ApplicationLanguages, application: Application) {
    this.table = table;
    this.#texts = texts;
    this.#application = application;
  }

  /** Origins of the languages that have a domain: redirects may lead there. */
  get origins(): string[] {
    return this.table.list.flatMap(({ domain }) => (domain ? [`https://${domain}`, `http://${domain}`] : []));
  }

  /**
   * Decides the language of a request by its address. Redirects another spelling, a page without a language, and a page
   * in a language that it does not have.
   */
  read(incoming: IncomingMessage, target: PageTarget, origin: string): LanguageOfRequest {
    const { table } = this;
    const host = hostOf(origin);
    const { lang: named, path } = splitLanguage(table, this.#at, target.path);
    const address = this.#application.parts.trailingSlash ? spellAddress(path) : path;
    const usual = languageOfHost(table, host);
    const isPage = target.kind === "page" && isRead(incoming);
    const isDocument = isPage && target.variant === "document";
    const redirect = (status: 302 | 308, lang: string, varies = false): LanguageOfRequest => {
      const to = addressIn(table, this.#at, address + target.search, { lang, origin });
      return { kind: "redirect", to, status, varies };
    };
    const lang = named ?? usual ?? table.default;
    // Not for ever: the page may be translated one day.
    if (isPage && !this.#has(lang, path) && this.#application.hasPage(path)) return redirect(302, table.default);
    const isOtherSpelling = named === usual || !target.path.startsWith(`${this.#at}/${named}`);
    if (named !== undefined && isOtherSpelling && isDocument) return redirect(308, named);
    const varies = named === undefined && isDocument && this.#mayVary(path, usual);
    const wanted = varies ? this.#wanted(incoming, path, origin) : lang;
    if (wanted !== lang || (varies && usual === undefined)) return redirect(302, wanted, varies);
    return this.#spoken(incoming, { lang, path, origin, varies }, isDocument);
  }

  /** The language for a static page: a request that is refused has no page, but an address. */
  staticIn({ url = "/" }: IncomingMessage, origin: string): StaticLanguage {
    const [pathname = "/"] = url.split("?", 1);
    return this.#staticOf(languageOf(this.table, this.#at, { pathname, host: hostOf(origin) }), origin);
  }

  /**
   * The language for a page of the host, whose address names none: that of the page that the visitor comes from, the
   * one that they have chosen, or the first that the browser asks for.
   */
  forVisitor(incoming: IncomingMessage, origin: string): StaticLanguage {
    const names = this.table.list.map(({ lang }) => lang);
    const chosen = [this.#from(incoming, origin), cookieOf(incoming)].find((lang) => lang && names.includes(lang));
    const wanted = chosen ?? acceptedLanguage(incoming.headers["accept-language"], names);
    return this.#staticOf(wanted ?? languageOfHost(this.table, hostOf(origin)) ?? this.table.default, origin);
  }

  #staticOf(lang: string, origin: string): StaticLanguage {
    const { dir } = this.table.list.find((one) => one.lang === lang) ?? {};
    const home = addressIn(this.table, this.#at, this.#at || "/", { lang, origin });
    return { html: htmlAttributes(lang, dir ?? "ltr"), texts: this.#texts[lang] ?? english, home };
  }

  /** A path that a route answers, in a language; every other address as it is. */
  addressOfRoute(address: string, present: PresentLanguage): string {
    const [path = ""] = address.split(/[?#]/, 1);
    return this.#application.hasRoute(path.replace(/(.)\/$/, "$1"))
      ? addressIn(this.table, this.#at, address, present)
      : address;
  }

  /** Whether a page, if there is one at the path, is translated into a language. */
  #has(lang: string, path: string): boolean {
    const entry = this.table.list.find((one) => one.lang === lang);
    return entry !== undefined && isTranslated(entry, this.#at, path);
  }

  get #at(): string {
    return this.#application.parts.table.at;
  }

  /** Whether an address without a language may mean another one than the usual language of its host. */
  #mayVary(path: string, usual: string | undefined): boolean {
    const { prefixDefault, detect, default: main } = this.table;
    if (usual !== undefined && usual !== main) return false;
    if (prefixDefault) return this.#application.hasPage(path);
    const others = this.table.list.filter(({ lang }) => lang !== main && this.#has(lang, path));
    return detect && path === (this.#at || "/") && others.length > 0;
  }

  /** The language for an address that may mean several. A link inside the application means what it says. */
  #wanted(incoming: IncomingMessage, path: string, origin: string): string {
    const { prefixDefault, detect, default: main, list } = this.table;
    const from = this.#from(incoming, origin);
    if (prefixDefault && from !== undefined) return from;
    const isInside = from !== undefined || incoming.headers["sec-fetch-site"] === "same-origin";
    if (!detect || (isInside && !prefixDefault)) return main;
    const names = list.map(({ lang }) => lang).filter((lang) => this.#has(lang, path));
    const chosen = cookieOf(incoming);
    if (chosen !== undefined && names.includes(chosen)) return chosen;
    return acceptedLanguage(incoming.headers["accept-language"], names) ?? main;
  }

  /** The language of the page that the visitor comes from, if it belongs to the application. */
  #from({ headers: { referer } }: IncomingMessage, origin: string): string | undefined {
    if (!referer || !URL.canParse(referer)) return undefined;
    const url = new URL(referer);
    const isOwn = url.origin === origin || this.origins.includes(url.origin);
    return isOwn ? languageOf(this.table, this.#at, url) : undefined;
  }

  #spoken(
    incoming: IncomingMessage,
    { lang, path, origin, varies }: { lang: string; path: string; origin: string; varies: boolean },
    isDocument: boolean,
  ): LanguageOfRequest {
    const entry = this.table.list.find((one) => one.lang === lang);
    const from = isDocument && this.table.detect ? this.#from(incoming, origin) : undefined;
    const isOther = from !== undefined && from !== lang && this.#has(from, path) && cookieOf(incoming) !== lang;
    const isChosen = isOther && isForDocument(incoming) && this.#application.hasPage(path);
    const html = htmlAttributes(lang, entry?.dir ?? "ltr");
    return { kind: "spoken", lang, path, origin, varies, isChosen, html, texts: this.#texts[lang] ?? english };
  }
}

/** Browsers say what a request is for. An icon or an image is not a page that the visitor has followed a link to. */
function isForDocument({ headers }: IncomingMessage): boolean {
  const { "sec-fetch-dest": destination = "document" } = headers;
  return destination === "document";
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function cookieOf({ headers: { cookie = "" } }: IncomingMessage): string | undefined {
  return cookie.includes(languageCookie) ? parseCookie(cookie)[languageCookie] : undefined;
}

function hostOf(origin: string): string {
  return origin.slice(origin.indexOf("//") + 2);
}
