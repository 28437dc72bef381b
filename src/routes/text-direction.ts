/** Newer than the types of the compiler's library. */
interface LocaleWithText extends Intl.Locale {
  getTextInfo?: () => { direction: string };
}

/** The direction of a language's usual script; undefined if the text is no language tag such as `en` or `pt-BR`. */
export function textDirection(lang: string): "ltr" | "rtl" | undefined {
  try {
    const locale: LocaleWithText = new Intl.Locale(lang);
    return locale.getTextInfo?.().direction === "rtl" ? "rtl" : "ltr";
  } catch {
    // Only a text that is no language tag throws.
    return undefined;
  }
}
