import type { ChangedHeaders, EncodedBody } from "#http";
import type { BypassReason } from "#signals";
import type { HtmlAttributes } from "../../view.ts";
import type { Decision } from "../decision.ts";

/** A page as it is stored: rendered for every visitor, so it has no nonce, no key of a form and no visitor's tag. */
export interface SharedPage {
  document: EncodedBody;
  /** Hashes of the document's scripts, for its Content Security Policy. */
  scripts: string;
  /** Of the document, in any encoding. */
  entityTag: string;
  /** The page data, with the preamble of a visitor whom nothing identifies. */
  data: EncodedBody;
  /** The same after its preamble. */
  lines: string;
  /** Headers and language that the page's loads chose. */
  headers: ChangedHeaders;
  html: HtmlAttributes | undefined;
}

/** In memory, with the encodings that it has so far. */
export function pageBytes({ document, data, lines }: SharedPage): number {
  return document.bytes + data.bytes + lines.length;
}

/** A request that is answered by a page for every visitor. */
export interface SharedDecision {
  kind: "shared";
  page: SharedPage;
}

/** How rendering a page for every visitor ended. */
export type SharedOutcome =
  | { kind: "page"; page: SharedPage }
  /** All who wait for it get this, and it is not stored. */
  | { kind: "unstored"; decision: Decision | SharedDecision; reason: BypassReason }
  /** It read something of one visitor: each gets a page of their own. */
  | { kind: "personal"; reason: BypassReason };
