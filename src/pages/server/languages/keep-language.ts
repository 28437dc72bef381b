import { languageCookie, languageCookieSeconds } from "../../page-data.ts";
import type { PageRequest } from "../page-request.ts";

/** Remembers the language of a page to which the visitor followed a link. Scripts do it themselves. */
export function keepChosenLanguage(request: PageRequest): void {
  if (!request.isPrefetch)
    request.setOwnCookie(languageCookie, request.lang, { maxAge: languageCookieSeconds, httpOnly: false });
}
