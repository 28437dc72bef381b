import type { IncomingMessage } from "node:http";
import { german } from "../../texts/german.ts";
import { inEnglish, type StaticLanguage } from "../send/static-pages.ts";
import { acceptedLanguage } from "./accepted-language.ts";

/** The language for a page of the host, by `Accept-Language`, where the application has no languages. */
export function visitorLanguage({ headers }: Pick<IncomingMessage, "headers">): StaticLanguage {
  return acceptedLanguage(headers["accept-language"], ["en", "de"]) === "de" ? inGerman : inEnglish;
}

const inGerman: StaticLanguage = { html: { lang: "de" }, texts: german, home: "/" };
