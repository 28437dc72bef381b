import { lexer, type Token } from "marked";

export interface CodeBlock {
  language: string;
  /** What stands after the language: the file it is in. */
  name: string | undefined;
  text: string;
}

export function codeBlocksOf(text: string): CodeBlock[] {
  return lexer(text).flatMap((token) => {
    if (token.type !== "code") return [];
    const [language = "", name] = String(token.lang ?? "").split(" ");
    return [{ language, name, text: `${token.text}\n` }];
  });
}

export function headingsOf(text: string): string[] {
  return lexer(text).flatMap((token) => (token.type === "heading" ? [String(token.text)] : []));
}

/** Links to guides, and to headings in them, that lead nowhere. Addresses of the tour are held by its journeys. */
export function brokenLinks(file: string, text: string, guides: ReadonlyMap<string, string>): string[] {
  return linksIn(lexer(text)).flatMap((href) => {
    if (href.startsWith("/") || URL.canParse(href)) return [];
    const [target = "", hash = ""] = href.split("#");
    const guide = target === "" ? text : guides.get(target);
    if (guide === undefined) return [`${file}: ${href}`];
    return hash === "" || headingsOf(guide).map(anchorOf).includes(hash) ? [] : [`${file}: ${href}`];
  });
}

function linksIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token): string[] => {
    const own = token.type === "link" ? [String(token.href)] : [];
    const items = token.type === "list" ? token.items.flatMap((item: Token) => linksIn([item])) : [];
    const inside = "tokens" in token && token.tokens ? linksIn(token.tokens) : [];
    const cells = token.type === "table" ? [...token.header, ...token.rows.flat()] : [];
    return [...own, ...items, ...inside, ...cells.flatMap((cell: { tokens: Token[] }) => linksIn(cell.tokens))];
  });
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
}

export interface Promised {
  guide: string;
  /** As it stands in the guide. */
  sentence: string;
  file: string;
  test: string;
}

/** The rows of promises.md: below the name of each guide, what it promises and the test that holds it. */
export function promisesIn(text: string): Promised[] {
  let guide = "";
  return text.split("\n").flatMap((line): Promised[] => {
    guide = /^## (.+\.md)$/.exec(line)?.[1] ?? guide;
    const [, sentence = "", file = "", test = ""] = /^\| (.+) \| `([^`]+)` › (.+) \|$/.exec(line) ?? [];
    return sentence === "" ? [] : [{ guide, sentence, file, test }];
  });
}

const columnsAtMost = 120;

/** Lines of prose that are longer than a page is wide. Tables and code are left as they are. */
export function overlongProse(text: string): string[] {
  const code = /^ *(```|~~~)[\s\S]*?^ *\1.*$/gm;
  return text
    .replaceAll(code, "")
    .split("\n")
    .filter((line) => line.length > columnsAtMost && !/^\s*\|/.test(line));
}

/** Edits move the line breaks of prose, so sentences are compared without them. */
export function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Whether a test file has a test, or a group of tests, with this very title. */
export function hasTest(source: string, title: string): boolean {
  const escaped = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`\\(\\s*(["'\`])${escaped}\\1`).test(source);
}
