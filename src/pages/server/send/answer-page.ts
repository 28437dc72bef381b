import { answersPath } from "../../answer-address.ts";
import { builtInStyle } from "../../react/built-in-style.ts";
import type { Texts } from "../../texts/texts.ts";
import { sha256 } from "./security-headers.ts";
import { escapeHtml, type StaticLanguage } from "./static-pages.ts";

/** What a visitor with a digest is shown. */
export type AnswerShown =
  | { kind: "unknown" | "known" | "in-repair" | "repaired" }
  | { kind: "too-many"; seconds: number };

const words: Readonly<Record<AnswerShown["kind"], { title: keyof Texts; text: keyof Texts }>> = {
  unknown: { title: "answerUnknown", text: "answerUnknownText" },
  known: { title: "answerKnown", text: "answerKnownText" },
  "in-repair": { title: "answerInRepair", text: "answerInRepairText" },
  repaired: { title: "answerRepaired", text: "answerRepairedText" },
  "too-many": { title: "tooManyCodes", text: "tooManyCodesText" },
};

/**
 * A page without scripts, in the look of the built-in error page. It depends on the state and the language alone: a
 * digest may be read by people who have not seen the page that failed, so neither its address nor the digest is on it.
 */
export function answerPage(shown: AnswerShown, { html, texts, home }: StaticLanguage): string {
  const { title, text } = words[shown.kind];
  const say = (name: keyof Texts): string => escapeHtml(texts[name]);
  const seconds = shown.kind === "too-many" ? String(shown.seconds) : "";
  const again = shown.kind === "repaired" ? "" : `<a class="primary" href="">${say("reload")}</a>`;
  const isFirst = shown.kind === "repaired" ? ' class="primary"' : "";
  const form =
    shown.kind === "unknown"
      ? `<form action="${answersPath}"><label>${say("anotherCode")}<input name="digest" required maxlength="64" autocomplete="off" autocapitalize="characters" spellcheck="false" dir="ltr"></label><button>${say("lookUp")}</button></form>`
      : "";
  const dir = html.dir ? ` dir="${html.dir}"` : "";
  return `<!DOCTYPE html><html lang="${html.lang}"${dir}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${say(title)}</title><style>${style}</style></head><body><main class="holdfast-page alone"><h1>${say(title)}</h1><p>${say(text).replace("{seconds}", seconds)}</p>${form}<nav aria-label="${say("waysOut")}">${again}<a${isFirst} href="${escapeHtml(home)}">${say("home")}</a></nav></main></body></html>`;
}

const style = `${builtInStyle}.holdfast-page input{box-sizing:border-box;display:block;width:100%;margin:4px 0 8px;padding:10px 16px;border:1px solid #84918a;border-radius:9px;background:var(--p);color:inherit;font:inherit}`;

/** The one style and the one form. */
export const answerPolicy: string = `default-src 'none'; style-src 'sha256-${sha256(style)}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
