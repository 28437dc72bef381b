import { lexer, type Token, type Tokens } from "marked";
import type { Block, Inline } from "../parts/blocks.tsx";
import { highlight } from "./highlight.ts";

/** Maps a link of a guide to this site: guides link to each other by file, as in the package. */
export type ResolveLink = (href: string) => string;

/** Parses Markdown into blocks. HTML in it is plain text: it never becomes an element. */
export function readMarkdown(text: string, resolve: ResolveLink): Block[] {
  return blocksOf(lexer(text), resolve);
}

function blocksOf(tokens: readonly Token[], resolve: ResolveLink): Block[] {
  return tokens.flatMap((token): Block[] => {
    const inline = (given: Token): Inline[] => inlinesOf("tokens" in given ? (given.tokens ?? []) : [], resolve);
    switch (token.type) {
      case "heading": {
        const words = plainText(token);
        return [{ kind: "heading", depth: (token as Tokens.Heading).depth, id: slug(words), inside: inline(token) }];
      }
      case "paragraph":
      case "text":
        return [{ kind: "paragraph", inside: "tokens" in token ? inline(token) : [["text", token.raw]] }];
      case "code": {
        const { text, lang = "" } = token as Tokens.Code;
        const [language = "", name] = lang.split(" ", 2);
        return [{ kind: "code", pieces: highlight(text, language), ...(name !== undefined && { name }) }];
      }
      case "list": {
        const { ordered, items } = token as Tokens.List;
        return [{ kind: "list", ordered, items: items.map((item) => blocksOf(item.tokens, resolve)) }];
      }
      case "blockquote":
        return [{ kind: "quote", inside: blocksOf((token as Tokens.Blockquote).tokens, resolve) }];
      case "table": {
        const { header, rows } = token as Tokens.Table;
        const cell = ({ tokens }: Tokens.TableCell): Inline[] => inlinesOf(tokens, resolve);
        return [{ kind: "table", head: header.map(cell), rows: rows.map((row) => row.map(cell)) }];
      }
      case "space":
        return [];
      default:
        return [{ kind: "paragraph", inside: [["text", token.raw]] }];
    }
  });
}

function inlinesOf(tokens: readonly Token[], resolve: ResolveLink): Inline[] {
  return tokens.map((token): Inline => {
    const inside = (): Inline[] => inlinesOf("tokens" in token ? (token.tokens ?? []) : [], resolve);
    switch (token.type) {
      case "strong":
      case "em":
        return [token.type, inside()];
      case "codespan":
        return ["code", (token as Tokens.Codespan).text];
      case "link":
        return ["link", inside(), resolve((token as Tokens.Link).href)];
      // The package has the picture; its description says the same.
      case "image":
        return ["em", [["text", (token as Tokens.Image).text]]];
      case "escape":
        return ["text", (token as Tokens.Escape).text];
      default:
        return ["text", token.raw];
    }
  });
}

/** Returns the words of a token without markup, for headings and search. */
export function plainText(token: Token): string {
  if ("tokens" in token && token.tokens) return token.tokens.map(plainText).join("");
  return "text" in token && typeof token.text === "string" ? token.text : token.raw;
}

/** `Data that arrives later` has the anchor `#data-that-arrives-later`. */
export function slug(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
}
