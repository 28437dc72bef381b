import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import { listFiles } from "../application-files.ts";
import { buildErrors } from "../errors.ts";
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

export type CompressionEffort = keyof typeof levels;

/** `best`: compressed once, sent many times. `fast`: saves two fifths of a build, and files are a tenth larger. */
const levels = { best: { br: 11, zstd: 19 }, fast: { br: 5, zstd: 5 } } as const;

/** Reads `HOLDFAST_COMPRESSION`. */
export function readEffort(value: string | undefined): CompressionEffort {
  if (value === undefined || value === "") return "best";
  if (value === "best" || value === "fast") return value;
  throw buildErrors.unknownCompression(value);
}

function compress(content: Buffer, encoding: FileEncoding, effort: CompressionEffort): Promise<Buffer> {
  const { br, zstd } = levels[effort];
  if (encoding === "br") {
    const params = { [constants.BROTLI_PARAM_QUALITY]: br, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    return promisify(brotliCompress)(content, { params });
  }
  if (encoding === "zstd")
    return promisify(zstdCompress)(content, { params: { [constants.ZSTD_c_compressionLevel]: zstd } });
  // Always the highest level: it costs little, and the sizes in tables and budgets are these.
  return promisify(gzip)(content, { level: 9 });
}

/** Writes compressed copies beside every file that benefits. */
export async function compressFiles(folder: string, effort: CompressionEffort): Promise<ServedFile[]> {
  return await Promise.all((await listFiles(folder)).map((file) => compressFile(folder, file, effort)));
}

/** Writes compressed copies beside one file. */
export async function compressFile(folder: string, file: string, effort: CompressionEffort): Promise<ServedFile> {
  const content = await readFile(join(folder, file));
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  const served: ServedFile = { file, bytes: content.length, hash, encoded: {} };
  if (content.length < worthBytes || !compressible.has(fileEnding(file))) return served;
  for (const encoding of ["br", "gzip", "zstd"] as const) {
    const packed = await compress(content, encoding, effort);
    if (packed.length >= content.length) continue;
    await writeFile(join(folder, file + encodingEndings[encoding]), packed);
    served.encoded[encoding] = packed.length;
  }
  return served;
}
