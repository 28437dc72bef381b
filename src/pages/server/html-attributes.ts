import { textDirection } from "#routes";
import * as pageErrors from "../errors.ts";
import type { HtmlAttributes } from "../view.ts";

/** An application has few languages. Bounded, because it may take them from a request. */
const atMost = 200;
const known = new Map<string, HtmlAttributes>();
const written = new WeakMap<HtmlAttributes, string>();

/** The attributes of `<html>` for a language. The same object each time, so that its text is written once. */
export function htmlAttributes(lang: string, dir?: "ltr" | "rtl"): HtmlAttributes {
  const key = `${lang} ${dir}`;
  const before = known.get(key);
  if (before) return before;
  const usual = textDirection(lang);
  if (usual === undefined) throw pageErrors.wrongLanguage(lang);
  const direction = dir ?? usual;
  const attributes: HtmlAttributes = direction === "ltr" ? { lang } : { lang, dir: direction };
  if (known.size >= atMost) known.clear();
  known.set(key, attributes);
  return attributes;
}

export function writeHtmlAttributes(attributes: HtmlAttributes): string {
  let text = written.get(attributes);
  if (text === undefined) {
    text = JSON.stringify(attributes);
    written.set(attributes, text);
  }
  return text;
}
