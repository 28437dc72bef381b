import type { Block } from "../parts/blocks.tsx";
import { guideText } from "./guides.ts";
import { readMarkdown } from "./markdown.ts";

/** Finds an error of the catalogue by its code. */
export function findErrorPage(code: string): { code: string; blocks: readonly Block[] } | undefined {
  const section = (guideText("error-catalogue") ?? "")
    .split(/^## /m)
    .slice(1)
    .find((text) => text.slice(0, text.indexOf("\n")) === code);
  if (section === undefined) return undefined;
  return { code, blocks: readMarkdown(section.slice(section.indexOf("\n")), (href) => href) };
}
