import type { PresentLanguage } from "#routes";
import type { Texts } from "../../texts/texts.ts";
import type { HtmlAttributes } from "../../view.ts";

/** The language in which one request is answered. */
export interface SpokenLanguage extends PresentLanguage {
  readonly texts: Texts;
  readonly html: HtmlAttributes;
  /** Path of the route, without the language. */
  readonly path: string;
  /** Another visitor may be led to another language from this address. */
  readonly varies: boolean;
  /** The visitor came here by a link from a page in another language. */
  readonly isChosen: boolean;
}
