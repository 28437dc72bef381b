import { answerAddress } from "../../answer-address.ts";
import * as english from "../../texts/english.ts";
import type { Texts } from "../../texts/texts.ts";
import type { HtmlAttributes } from "../../view.ts";

export interface LastResort {
  title: string;
  text: string;
  digest?: string | undefined;
  /** Whether there is a page that says what became of the digest. */
  hasAnswers?: boolean | undefined;
  /** The page to return to, where reloading would not help; `/` is offered in any case. */
  back?: string | undefined;
  /** English without it. */
  language?: StaticLanguage | undefined;
}

export interface StaticLanguage {
  html: HtmlAttributes;
  texts: Texts;
  /** The root of the application in this language. */
  home: string;
}

/**
 * A page without dependencies, for when everything else has failed. Under 2 KiB, no script, no asset. Its style is an
 * attribute, which every policy of the framework allows.
 */
export function lastResortPage({ title, text, digest, hasAnswers, back, language }: LastResort): string {
  const { html, texts, home } = language ?? inEnglish;
  const answer = digest && hasAnswers ? answerLink(digest, texts) : "";
  const shown = digest ? `<p>${escapeHtml(texts.digest)}: <code>${escapeHtml(digest)}</code>${answer}</p>` : "";
  const dir = html.dir ? ` dir="${html.dir}"` : "";
  return `<!DOCTYPE html><html lang="${html.lang}"${dir}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title></head><body style="max-width:480px;margin:20vh auto;padding:0 24px;font:15px/24px system-ui,sans-serif;overflow-wrap:anywhere"><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${shown}<p>${firstWay(texts, back)}<a href="${escapeHtml(home)}">${escapeHtml(texts.home)}</a></p></main></body></html>`;
}

export const inEnglish: StaticLanguage = { html: { lang: "en" }, texts: english, home: "/" };

function answerLink(digest: string, texts: Texts): string {
  return `<br><a href="${escapeHtml(answerAddress(digest))}">${escapeHtml(texts.seeRepaired)}</a>`;
}

/** Longer addresses are left out, so that the page stays below 2 KiB. */
const longestBack = 1_000;

function firstWay(texts: Texts, back: string | undefined): string {
  if (back === undefined) return `<a href="">${escapeHtml(texts.reload)}</a> `;
  const isLeftOut = back === "/" || back.length > longestBack;
  return isLeftOut ? "" : `<a href="${escapeHtml(back)}">${escapeHtml(texts.back)}</a> `;
}

/**
 * React sends late parts in hidden elements and moves them into place by script. Without scripts this style shows them
 * at the end of the page.
 */
export const lateStyle = 'div[hidden][id^="S:"]{display:block}';

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Escapes JSON for a script element: nothing in it can end the element, begin a comment, or break a line of a script.
 */
export function escapeInlineJson(json: string): string {
  // Most data has none of them, which this finds in a fraction of the time of the expression.
  if (!json.includes("<") && !json.includes("\u2028") && !json.includes("\u2029")) return json;
  return json.replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
