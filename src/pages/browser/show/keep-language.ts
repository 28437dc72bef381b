import type { LanguageAddresses } from "#routes";
import { languageCookie, languageCookieSeconds } from "../../page-data.ts";

/**
 * Remembers the language of a page to which the visitor went from one in another language. A page that is not
 * translated into the former language was no choice.
 */
export function keepLanguage(languages: LanguageAddresses, from: string, to: string): void {
  const lang = languages.at(to);
  const former = languages.at(from);
  const choices = languages.of(languages.without(new URL(to).pathname));
  if (!languages.table.detect || former === lang || !choices.some((one) => one.lang === former)) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Safari.
  document.cookie = `${languageCookie}=${lang};path=/;max-age=${languageCookieSeconds};samesite=lax${location.protocol === "https:" ? ";secure" : ""}`;
}
