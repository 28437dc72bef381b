import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import { listFiles } from "../application-files.ts";
import { fileEnding } from "./content-types.ts";

export type FileEncoding = "br" | "gzip" | "zstd";

export const encodingEndings: Readonly<Record<FileEncoding, string>> = { br: ".br", gzip: ".gz", zstd: ".zst" };

/** A file that the server sends, with its precompressed encodings. */
export interface ServedFile {
  /** Relative to the browser folder. */
  file: string;
  bytes: number;
  /** Hash of the content. */
  hash: string;
  encoded: Partial<Record<FileEncoding, number>>;
}

/** For smaller files, the overhead of a compressed response exceeds the savings. */
const worthBytes = 1_000;
/** Images, videos and web fonts are compressed already. Older fonts and icons are not. */
const compressible = new Set("css csv html ico js json map md mjs otf svg ttf txt wasm webmanifest xml".split(" "));

const packers: Readonly<Record<FileEncoding, (content: Buffer) => Promise<Buffer>>> = {
  // Highest level of each: compressed once, sent many times.
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
  zstd: (content) => promisify(zstdCompress)(content, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
};

/** Writes compressed copies beside every file that benefits. */
export async function compressFiles(folder: string): Promise<ServedFile[]> {
  return await Promise.all((await listFiles(folder)).map((file) => compressFile(folder, file)));
}

async function compressFile(folder: string, file: string): Promise<ServedFile> {
  const content = await readFile(join(folder, file));
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  const served: ServedFile = { file, bytes: content.length, hash, encoded: {} };
  if (content.length < worthBytes || !compressible.has(fileEnding(file))) return served;
  for (const encoding of ["br", "gzip", "zstd"] as const) {
    const packed = await packers[encoding](content);
    if (packed.length >= content.length) continue;
    await writeFile(join(folder, file + encodingEndings[encoding]), packed);
    served.encoded[encoding] = packed.length;
  }
  return served;
}
