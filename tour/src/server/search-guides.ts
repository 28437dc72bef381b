import { lexer } from "marked";
import { contents, guideText } from "./guides.ts";
import { plainText, slug } from "./markdown.ts";

export interface Hit {
  guide: string;
  heading: string;
  to: string;
  /** Text around the first match. Entries at odd indexes are the matched words. */
  excerpt: readonly string[];
}

interface Section {
  name: string;
  guide: string;
  heading: string;
  id: string;
  text: string;
}

const sections: readonly Section[] = contents.flatMap(({ guides }) =>
  guides.flatMap(({ name, title }) => sectionsOf(name, title, guideText(name) ?? "")),
);

/** Twelve fill a screen; a visitor who needs more refines the search. */
const hitsShown = 12;

/** Returns the sections that contain all words, those with a word in the heading first. */
export function searchGuides(asked: string): Hit[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, hitsShown)
    .map(({ section }) => ({
      guide: section.guide,
      heading: section.heading,
      to: `/docs/${section.name}${section.id && `#${section.id}`}`,
      excerpt: excerptOf(section.text, words),
    }));
}

function sectionsOf(name: string, guide: string, text: string): Section[] {
  const found: Section[] = [];
  for (const token of lexer(text)) {
    if (token.type === "heading") {
      const heading = plainText(token);
      found.push({ name, guide, heading, id: token.depth === 1 ? "" : slug(heading), text: "" });
      continue;
    }
    const last = found.at(-1);
    if (last) last.text += ` ${token.type === "code" ? plainText(token) : withoutMarks(token.raw)}`;
  }
  return found;
}

/** Removes Markdown's markup. */
function withoutMarks(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^[-|:\s]+$/gm, " ")
    .replace(/^\s*[-*>] /gm, " ")
    .replace(/\*\*|[`|]/g, " ");
}

function scoreOf({ guide, heading, text }: Section, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const here =
      (heading.toLowerCase().includes(word) ? 8 : 0) + Math.min(text.toLowerCase().split(word).length - 1, 4);
    if (here === 0) return 0;
    score += here + (guide.toLowerCase().includes(word) ? 2 : 0);
  }
  return score;
}

function excerptOf(text: string, words: readonly string[]): string[] {
  const flat = text.replace(/\s+/g, " ").trim();
  const at = Math.max(0, ...words.map((word) => flat.toLowerCase().indexOf(word)));
  const from = flat.lastIndexOf(" ", Math.max(0, at - 60)) + 1;
  const shown = `${from > 0 ? "… " : ""}${flat.slice(from, from + 180)}${from + 180 < flat.length ? " …" : ""}`;
  return shown.split(new RegExp(`(${words.map(escapeExpression).join("|")})`, "i"));
}

function escapeExpression(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
