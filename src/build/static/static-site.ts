import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathBelow } from "#routes";
import type { ApplicationFiles } from "../application-files.ts";
import { buildErrors } from "../errors.ts";
import { type CompressionEffort, compressFile } from "../output/compress-files.ts";
import { encodingsOf } from "../output/manifest.ts";
import type { OutputFolders } from "../output/output-folders.ts";
import type { PageToWrite, WrittenFile, WrittenPage } from "../prerender/prerendered-files.ts";

/** In the folder of the build. */
export const siteFolder = "site";

/**
 * A folder that any file server can serve. It is the root of the application: what a server has at `/docs/` for one
 * that was built with `--at /docs`.
 */
export class StaticSite {
  readonly #at: string;
  readonly #folder: string;
  readonly #browser: string;
  readonly #effort: CompressionEffort;
  readonly #isSlashed: boolean;

  constructor({ at, trailingSlash }: ApplicationFiles, folders: OutputFolders, effort: CompressionEffort) {
    this.#at = at;
    this.#folder = join(folders.growing, siteFolder);
    this.#browser = folders.browser;
    this.#effort = effort;
    this.#isSlashed = trailingSlash ?? false;
  }

  /** Copies the files of the browser. Those of `public` are at the root of the host. */
  async begin(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await cp(join(this.#browser, this.#at.slice(1)), this.#folder, { recursive: true });
  }

  async add({ html, data, ...page }: PageToWrite): Promise<WrittenPage> {
    const below = pathBelow(this.#at, page.address) ?? page.address;
    const place = decodeURIComponent(below).replace(/^\/|\/$/g, "");
    const document = await this.#write(this.#fileOf(place, page.address), html);
    const file = page.isNotFound ? document : await this.#write(join(place, "_data.json"), data);
    return { ...page, document, data: file };
  }

  /** With a slash at the end an address is a folder, and without one many hosts add the ending. */
  #fileOf(place: string, address: string): string {
    if (place === "") return "index.html";
    if (place.endsWith(".html")) return place;
    if (this.#isSlashed && !address.endsWith("/")) throw buildErrors.addressLikeFile(address);
    return this.#isSlashed ? join(place, "index.html") : `${place}.html`;
  }

  async #write(file: string, content: string): Promise<WrittenFile> {
    const whole = join(this.#folder, file);
    await mkdir(dirname(whole), { recursive: true });
    await writeFile(whole, content);
    const served = await compressFile(this.#folder, file, this.#effort);
    return { file: `${siteFolder}/${file}`, bytes: served.bytes, encodings: encodingsOf(served), hash: served.hash };
  }
}
