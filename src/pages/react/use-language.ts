import type { Language } from "#routes";
import { languages } from "#routes/href";
import { usePage } from "./page-context.ts";

/** The language of a page, as `<html>` has it, and its addresses in all its languages. */
export interface PageLanguage {
  lang: Language;
  dir: "ltr" | "rtl";
  /** The current page in each language that it has, in the order of the configuration. */
  all: readonly { lang: Language; href: string }[];
}

/** Returns the language of the current page. */
export function useLanguage(): PageLanguage {
  const { view, path, search } = usePage();
  const { lang = "", dir = "ltr" } = view.html ?? {};
  const plain = languages?.without(path) ?? path;
  const all = (languages?.of(plain) ?? []).map((one) => ({
    lang: one.lang as Language,
    href: (languages?.address(plain, one.lang) ?? plain) + search,
  }));
  // The build has written the languages into the types and into this bundle.
  return { lang: lang as Language, dir, all };
}
