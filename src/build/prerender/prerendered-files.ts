import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "#errors";
import { type CompressionEffort, compressFile, encodingEndings, type FileEncoding } from "../output/compress-files.ts";
import { encodingsOf } from "../output/manifest.ts";
import type { OutputFolders } from "../output/output-folders.ts";

/** A page as it was made. */
export interface PageToWrite {
  /** The id of its route. */
  route: string;
  lang?: string | undefined;
  /** Its path without the language. */
  path: string;
  /** Its path as visitors see it. */
  address: string;
  /** The page for all addresses that have none, of a folder of files. */
  isNotFound?: boolean;
  origin?: string | undefined;
  html: string;
  data: string;
  /** Hashes of its scripts, for the Content Security Policy. */
  scripts: string;
  cache?: string | undefined;
}

/** `prerendered/pages.json`: what a server must know to send the pages that the build has made. */
export interface PrerenderedList {
  /** Identifies the settings that the documents contain. */
  settings: string;
  pages: WrittenPage[];
  /** Files of earlier builds, newest first, for servers that started before this one. */
  earlier: string[][];
}

export interface WrittenPage extends Omit<PageToWrite, "html" | "data"> {
  document: WrittenFile;
  data: WrittenFile;
}

export interface WrittenFile {
  /** Relative to the folder of the build. The name contains a hash of the content. */
  file: string;
  bytes: number;
  encodings: FileEncoding[];
  hash: string;
}

const folderName = "prerendered";
const listName = `${folderName}/pages.json`;

/** As many as browser files are kept for. */
const buildsKept = 3;

/** Writes the pages of one build, each with its compressed copies. */
export class PrerenderedFiles {
  readonly #folders: OutputFolders;
  readonly #effort: CompressionEffort;
  readonly #pages: WrittenPage[] = [];

  constructor(folders: OutputFolders, effort: CompressionEffort) {
    this.#folders = folders;
    this.#effort = effort;
  }

  get pages(): readonly WrittenPage[] {
    return this.#pages;
  }

  async add({ html, data, ...page }: PageToWrite): Promise<WrittenPage> {
    const [document, written] = await Promise.all([this.#write(html, "html"), this.#write(data, "json")]);
    const added = { ...page, document, data: written };
    this.#pages.push(added);
    return added;
  }

  async #write(content: string, ending: string): Promise<WrittenFile> {
    const name = `${createHash("sha256").update(content).digest("hex").slice(0, 24)}.${ending}`;
    const folder = join(this.#folders.growing, folderName);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), content);
    const served = await compressFile(folder, name, this.#effort);
    return {
      file: `${folderName}/${name}`,
      bytes: served.bytes,
      encodings: encodingsOf(served),
      hash: served.hash,
    };
  }

  /** Writes the list, and keeps the files of earlier builds. */
  async finish(settings: string): Promise<void> {
    // In the order of their addresses, so that equal builds are equal files.
    const pages = this.#pages.toSorted((a, b) => compare(`${a.path} ${a.lang}`, `${b.path} ${b.lang}`));
    const last = await readList(this.#folders.final);
    const own = new Set(pages.flatMap(filesOf));
    const earlier = last ? [last.pages.flatMap(filesOf), ...last.earlier] : [];
    const kept = earlier
      .map((files) => files.filter((file) => !own.has(file)))
      .filter((files) => files.length > 0)
      .slice(0, buildsKept - 1);
    for (const file of new Set(kept.flat())) await this.#takeOver(file);
    const list: PrerenderedList = { settings, pages, earlier: kept };
    await mkdir(join(this.#folders.growing, folderName), { recursive: true });
    await writeFile(join(this.#folders.growing, listName), `${JSON.stringify(list, null, 1)}\n`);
  }

  async #takeOver(file: string): Promise<void> {
    const { final, growing } = this.#folders;
    await mkdir(dirname(join(growing, file)), { recursive: true });
    await copyFile(join(final, file), join(growing, file)).catch((error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw error;
    });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function filesOf({ document, data }: WrittenPage): string[] {
  return [document, data].flatMap(({ file, encodings }) =>
    ["", ...encodings.map((encoding) => encodingEndings[encoding])].map((ending) => file + ending),
  );
}

async function readList(folder: string): Promise<PrerenderedList | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, listName), "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
