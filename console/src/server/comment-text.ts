import type { CommentPart } from "../parts/issue/comment.tsx";

/** Addresses of the issues that a comment may link, by number. */
export type IssueAddresses = ReadonlyMap<number, string>;

/** Deeper quotes and emphasis are text: people do not read them, and each level reads its text again. */
const deepest = 4;

/**
 * Reads a small part of Markdown: paragraphs, lists, quotes, code, bold, emphasis, links, and `#12` for an issue.
 * Everything else is text. The result has no markup: the page makes elements of it, so that HTML in a comment is text
 * too, and only web and mail addresses are links.
 */
export function readComment(text: string, issues: IssueAddresses): CommentPart[] {
  return blocksOf(text.replace(/\r\n?/g, "\n").split("\n"), { issues, depth: 0, isLink: false });
}

interface Place {
  readonly issues: IssueAddresses;
  readonly depth: number;
  /** In the text of a link there is no other. */
  readonly isLink: boolean;
}

const blank = /^\s*$/;
const fence = /^ {0,3}(`{3,}|~{3,})[^`]*$/;
const quoted = /^ {0,3}> ?/;
const item = /^\s{0,9}(?:[-*+]|(\d{1,9})[.)])\s+(?=\S)/;

function blocksOf(lines: readonly string[], place: Place): CommentPart[] {
  const blocks: CommentPart[] = [];
  let at = 0;
  while (at < lines.length) {
    const read = blockAt(lines, at, place);
    if (read.block !== undefined) blocks.push(read.block);
    at = read.next;
  }
  return blocks;
}

interface ReadBlock {
  block: CommentPart | undefined;
  /** The line after it. */
  next: number;
}

function blockAt(lines: readonly string[], at: number, place: Place): ReadBlock {
  const line = lines[at] ?? "";
  if (blank.test(line)) return { block: undefined, next: at + 1 };
  if (fence.test(line)) return codeAt(lines, at);
  if (quoted.test(line) && place.depth < deepest) {
    const next = endOf(lines, at, (one) => quoted.test(one));
    const inside = lines.slice(at, next).map((one) => one.replace(quoted, ""));
    return { block: { tag: "blockquote", of: blocksOf(inside, { ...place, depth: place.depth + 1 }) }, next };
  }
  if (item.test(line)) return listAt(lines, at, place);
  const next = endOf(lines, at, (one, n) => n === at || !endsParagraph(one));
  return { block: { tag: "p", of: inline(lines.slice(at, next).join("\n"), place) }, next };
}

function endOf(lines: readonly string[], at: number, belongs: (line: string, n: number) => boolean): number {
  const end = lines.findIndex((line, n) => n >= at && !belongs(line, n));
  return end < 0 ? lines.length : end;
}

function startsBlock(line: string): boolean {
  return blank.test(line) || fence.test(line) || quoted.test(line) || item.test(line);
}

/** A sentence may go on with a number and a full stop: only 1 begins a list there. */
function endsParagraph(line: string): boolean {
  return startsBlock(line) && Number(item.exec(line)?.[1] ?? 1) === 1;
}

/** A block without an end is code to the end of the comment. */
function codeAt(lines: readonly string[], at: number): ReadBlock {
  const mark = fence.exec(lines[at] ?? "")?.[1] ?? "";
  const isEnd = (line: string): boolean => line.trim().startsWith(mark) && new Set(line.trim()).size === 1;
  const end = endOf(lines, at + 1, (line) => !isEnd(line));
  return { block: { tag: "pre", of: [lines.slice(at + 1, end).join("\n")] }, next: end + 1 };
}

/** Items of one kind, without levels. A line that follows without a mark belongs to its item. */
function listAt(lines: readonly string[], at: number, place: Place): ReadBlock {
  const first = item.exec(lines[at] ?? "")?.[1];
  const items: string[] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? "";
    const match = item.exec(line);
    if (match && (match[1] === undefined) === (first === undefined)) items.push(line.slice(match[0].length));
    else if (startsBlock(line)) break;
    else items.push(`${items.pop() ?? ""}\n${line.trim()}`);
  }
  const of = items.map((text): CommentPart => ({ tag: "li", of: inline(text, place) }));
  return { block: first === undefined ? { tag: "ul", of } : { tag: "ol", start: Number(first), of }, next };
}

/** Reads text within a block. A mark without its end is text. */
function inline(text: string, place: Place): CommentPart[] {
  const parts: CommentPart[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const found = place.depth < deepest ? spanAt(text, at, place) : undefined;
    if (found === undefined) plain += text[at++];
    else if (typeof found.part === "string") {
      plain += found.part;
      at = found.end;
    } else {
      if (plain !== "") parts.push(plain);
      plain = "";
      parts.push(found.part);
      at = found.end;
    }
  }
  if (plain !== "") parts.push(plain);
  return parts;
}

interface Span {
  part: CommentPart;
  end: number;
}

function spanAt(text: string, at: number, place: Place): Span | undefined {
  const inside = { ...place, depth: place.depth + 1 };
  switch (text[at]) {
    case "\\":
      return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "") ? { part: text[at + 1] ?? "", end: at + 2 } : undefined;
    case "`":
      return codeSpanAt(text, at);
    case "*":
    case "_":
      return emphasisAt(text, at, inside);
    case "[":
      return place.isLink ? undefined : linkAt(text, at, inside);
    case "h":
    case "H":
      return place.isLink ? undefined : addressAt(text, at);
    case "#":
      return place.isLink ? undefined : issueAt(text, at, place);
    default:
      return undefined;
  }
}

/** Ends at as many backticks as it begins with. */
function codeSpanAt(text: string, at: number): Span {
  const mark = matchAt(/`+/y, text, at)?.[0] ?? "`";
  for (let end = text.indexOf(mark, at + mark.length); end >= 0; end = text.indexOf(mark, end)) {
    const run = matchAt(/`+/y, text, end)?.[0].length ?? 1;
    if (run === mark.length) return { part: { tag: "code", of: [text.slice(at + mark.length, end)] }, end: end + run };
    end += run;
  }
  return { part: mark, end: at + mark.length };
}

/** `**bold**`, `*emphasis*` and `_emphasis_`, but not `snake_case` or `2 * 3`. */
function emphasisAt(text: string, at: number, inside: Place): Span | undefined {
  const sign = text[at] ?? "";
  const mark = text[at + 1] === sign ? sign + sign : sign;
  const begin = at + mark.length;
  if (/^(?:\s|$)/.test(text[begin] ?? "")) return { part: mark, end: begin };
  if (sign === "_" && isWord(text[at - 1])) return { part: mark, end: begin };
  const end = endOfEmphasis(text, begin, mark);
  if (end === undefined) return { part: mark, end: begin };
  const tag = mark.length === 2 ? "strong" : "em";
  return { part: { tag, of: inline(text.slice(begin, end), inside) }, end: end + mark.length };
}

function endOfEmphasis(text: string, begin: number, mark: string): number | undefined {
  const sign = mark[0] ?? "";
  for (let end = text.indexOf(mark, begin + 1); end >= 0; end = text.indexOf(mark, end + mark.length)) {
    // A pair within single marks is bold text inside.
    if (mark.length === 1 && text[end + 1] === sign) end++;
    else if (!/\s/.test(text[end - 1] ?? " ") && !(sign === "_" && isWord(text[end + mark.length])))
      // Of three signs, the first ends the emphasis within.
      return mark.length === 2 && text[end + 2] === sign ? end + 1 : end;
  }
  return undefined;
}

/** `[text](address)`. */
function linkAt(text: string, at: number, inside: Place): Span | undefined {
  const match = matchAt(/\[([^[\]]{1,500})\]\(([^\s()<>]{1,2000})\)/y, text, at);
  const to = safeAddress(match?.[2] ?? "");
  if (!match || to === undefined) return undefined;
  const of = inline(match[1] ?? "", { ...inside, isLink: true });
  return { part: { tag: "a", to, isOutside: true, of }, end: at + match[0].length };
}

/** A web address in the text, without the punctuation that ends its sentence. */
function addressAt(text: string, at: number): Span | undefined {
  if (isWord(text[at - 1])) return undefined;
  const found = matchAt(/https?:\/\/[^\s<>"'`()[\]{}|\\^]{1,2000}/iy, text, at)?.[0].replace(/[.,;:!?*_~]+$/, "");
  const to = found && safeAddress(found);
  return to ? { part: { tag: "a", to, isOutside: true, of: [found] }, end: at + found.length } : undefined;
}

function issueAt(text: string, at: number, { issues }: Place): Span | undefined {
  const found = isWord(text[at - 1]) ? undefined : matchAt(/#(\d{1,9})(?![\w-])/y, text, at);
  const to = found && issues.get(Number(found[1]));
  return found && to ? { part: { tag: "a", to, of: [found[0]] }, end: at + found[0].length } : undefined;
}

/** Web and mail addresses only. Everything else, such as `javascript:`, is no link. */
function safeAddress(text: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return ["http:", "https:", "mailto:"].includes(protocol) ? href : undefined;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_&/#]/u.test(character);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
