import { lexer } from "marked";
import type { Block } from "../parts/blocks.tsx";
import { plainText, readMarkdown, slug } from "./markdown.ts";

/** The guides of the package, bundled when the tour is built. */
const files: Readonly<Record<string, string>> = import.meta.glob("../../../docs/guides/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

export interface GuideName {
  name: string;
  title: string;
}

export interface GuideGroup {
  title: string;
  guides: readonly GuideName[];
}

export interface Guide extends GuideName {
  blocks: readonly Block[];
  /** Second-level headings, for the contents of the page. */
  sections: readonly { id: string; title: string }[];
  /** First paragraph, as a search engine shows it. */
  description: string;
  /** Next guide in the contents. */
  next: GuideName | undefined;
}

const texts = new Map(
  Object.entries(files).map(([file, text]) => [file.slice(file.lastIndexOf("/") + 1, -".md".length), text]),
);

export const guideNames: readonly string[] = [...texts.keys()];

export function guideText(name: string): string | undefined {
  return texts.get(name);
}

export function guideTitle(name: string): string {
  return titleOf(texts.get(name) ?? "");
}

export function findGuide(name: string): Guide | undefined {
  const text = texts.get(name);
  if (text === undefined) return undefined;
  const blocks = readMarkdown(text, resolveLink);
  const sections = lexer(text)
    .filter((token) => token.type === "heading" && token.depth === 2)
    .map((token) => ({ id: slug(plainText(token)), title: plainText(token) }));
  const inOrder = contents.flatMap(({ guides }) => guides);
  const next = inOrder[inOrder.findIndex((guide) => guide.name === name) + 1];
  return { name, title: titleOf(text), description: descriptionOf(text), blocks, sections, next };
}

/** The build writes this guide. It is not in the repository, so the README does not link to it. */
const generated = "error-catalogue";

/** The README defines the order of the guides: groups by its headings, names by its links. */
export const contents: readonly GuideGroup[] = readContents(`${texts.get("README")}\n[](${generated}.md)`);

function readContents(text: string): GuideGroup[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf("\n")).trim(),
      guides: [...part.matchAll(/\]\(([\w-]+)\.md\)/g)].flatMap(([, name = ""]) => {
        const guide = texts.get(name);
        return guide === undefined ? [] : [{ name, title: titleOf(guide) }];
      }),
    }));
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? "Untitled";
}

/** About as much as search engines show. */
const descriptionLength = 160;

function descriptionOf(text: string): string {
  const first = lexer(text).find(({ type }) => type === "paragraph");
  const words = (first ? plainText(first) : titleOf(text)).replaceAll(/\s+/g, " ");
  if (words.length <= descriptionLength) return words;
  return `${words.slice(0, words.lastIndexOf(" ", descriptionLength))} …`;
}

/** Maps `data.md#late` to `/docs/data#late`; other links stay unchanged. */
function resolveLink(href: string): string {
  return href.replace(/^([\w-]+)\.md(?=#|$)/, (_, name: string) => (name === "README" ? "/docs" : `/docs/${name}`));
}
