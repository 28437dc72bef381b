import { readFile } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "#errors";
import type { PrerenderedPage, PrerenderedPages } from "#pages";
import { hostErrors } from "../errors.ts";
import { type BrowserFile, type SentFiles, StoredFile } from "../stored-file.ts";

/** Folder of the pages that a build has made. */
export const prerenderedFolder = "prerendered";

type ListedFile = Pick<BrowserFile, "file" | "bytes" | "encodings" | "hash">;

interface ListedPage {
  lang?: string;
  path: string;
  origin?: string;
  scripts: string;
  cache?: string;
  document: ListedFile;
  data: ListedFile;
}

/** Opens the pages that a build has made. Undefined if there are none. */
export async function openPrerendered(dist: string, cache?: SentFiles): Promise<PrerenderedPages | undefined> {
  const list = await readList(dist);
  if (!list) return undefined;
  const pages = new Map(list.pages.map((page) => [keyOf(page.lang, page.path), pageOf(dist, page, cache)]));
  return { settings: list.settings, find: (lang, at) => pages.get(keyOf(lang, at)) };
}

/** A language has no space. */
function keyOf(lang: string | undefined, at: string): string {
  return lang === undefined ? at : `${lang} ${at}`;
}

function pageOf(dist: string, page: ListedPage, cache: SentFiles | undefined): PrerenderedPage {
  const folder = { dist, build: "", cache };
  const files = {
    document: new StoredFile(fileOf(page.document), folder),
    data: new StoredFile(fileOf(page.data), folder),
  };
  return {
    scripts: page.scripts,
    origin: page.origin,
    cache: page.cache,
    send: (variant, exchange, headers, areConstant = false) => files[variant].send(exchange, headers, areConstant),
  };
}

function fileOf(listed: ListedFile): BrowserFile {
  return { ...listed, path: "", type: "", immutable: false };
}

/** The build has written the list, and its shape is checked only as far as a broken deployment would break it. */
async function readList(dist: string): Promise<{ settings: string; pages: ListedPage[] } | undefined> {
  let text: string;
  try {
    text = await readFile(path.join(dist, prerenderedFolder, "pages.json"), "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  try {
    const list: unknown = JSON.parse(text);
    if (isList(list)) return list;
  } catch {
    // Said below.
  }
  throw hostErrors.brokenBuild(dist, `${prerenderedFolder}/pages.json cannot be read`);
}

function isList(value: unknown): value is { settings: string; pages: ListedPage[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "settings" in value &&
    typeof value.settings === "string" &&
    "pages" in value &&
    Array.isArray(value.pages)
  );
}
