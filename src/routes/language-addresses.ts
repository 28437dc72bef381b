import type { LanguageEntry, LanguageTable } from "./language-table.ts";
import {
  addressIn,
  entryOf,
  isTranslated,
  type LearnedTexts,
  languageOf,
  type PresentLanguage,
  splitLanguage,
} from "./languages.ts";

/** Writes and reads addresses of an application that has languages. One for each bundle. */
export interface LanguageAddresses {
  readonly table: LanguageTable;
  /** Called by each side before it shows a page: how to find the language of the page that asks. */
  readPresentBy(read: () => PresentLanguage | undefined): void;
  /** The address in a language, that of the present page unless one is given. */
  address(address: string, lang?: string): string;
  /** The same with an origin. */
  absolute(address: string, lang?: string): string;
  /** The path of a page without its language. */
  without(pathname: string): string;
  /** The languages of the page at a path, which names none. */
  of(pathname: string): readonly LanguageEntry[];
  /** The language of a page by its whole address. */
  at(url: string): string;
  /** Whether a value would be read as a language at the beginning of a path. */
  has(value: string): boolean;
  /** Loads the texts of the framework in the language of a page. */
  learn(url: string, loaders: TextLoaders, load: (lazy: LazyTexts) => ReturnType<LazyTexts>): Promise<void>;
  /** A text of the framework in the language of the present page, by its name in `pages/texts/english.ts`. */
  text(name: string): string;
}

type LazyTexts = () => Promise<{ default: LearnedTexts }>;

/** By language. */
export type TextLoaders = Readonly<Record<string, LazyTexts>> | undefined;

/** Called by the module that the build writes in place of `application-languages.ts`. */
export function languageAddresses(table: LanguageTable, at: string): LanguageAddresses {
  let present: () => PresentLanguage | undefined = () => undefined;
  // The last answer: a page may have thousands of links.
  let known = { url: "", lang: "" };
  const learned = new Map<string, LearnedTexts>();
  const address = (path: string, wanted?: string): string => {
    const { origin, lang } = present() ?? { origin: "", lang: table.default };
    return addressIn(table, at, path, { origin, lang: wanted ?? lang });
  };
  const languageAt = (url: string): string => {
    if (known.url !== url) known = { url, lang: languageOf(table, at, new URL(url)) };
    return known.lang;
  };
  return {
    table,
    readPresentBy: (read) => {
      present = read;
    },
    address,
    absolute: (path, lang) => {
      const there = address(path, lang);
      return there.startsWith("/") ? (present()?.origin ?? "") + there : there;
    },
    without: (pathname) => splitLanguage(table, at, pathname).path,
    of: (pathname) => table.list.filter((entry) => isTranslated(entry, at, pathname)),
    at: languageAt,
    learn: async (url, loaders, load) => {
      const lang = languageAt(url);
      const lazy = loaders?.[lang];
      if (lazy && !learned.has(lang)) learned.set(lang, (await load(lazy)).default);
    },
    text: (name) => {
      const { lang, texts } = present() ?? { lang: table.default };
      return (texts ?? learned.get(lang))?.[name] ?? "";
    },
    has: (value) => entryOf(table, value) !== undefined,
  };
}
