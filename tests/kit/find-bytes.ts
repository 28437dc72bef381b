import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";

const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Every file below a folder, or the file itself. */
export function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}

/**
 * Which of these texts occur in the bytes of a file: as they are, in UTF-16, or in a compressed frame at any place of
 * it, also in one that no row refers to any more.
 */
export function textsIn(bytes: Buffer, texts: readonly string[]): string[] {
  const found = new Set<string>();
  const look = (content: Buffer): void => {
    for (const text of texts)
      if (content.includes(text) || content.includes(Buffer.from(text, "utf16le"))) found.add(text);
  };
  look(bytes);
  for (let at = bytes.indexOf(frame); at >= 0; at = bytes.indexOf(frame, at + 1)) {
    const content = unpacked(bytes.subarray(at));
    if (content !== undefined) look(content);
  }
  return [...found];
}

/** `undefined` if it is no frame, or needs a dictionary. */
function unpacked(from: Buffer): Buffer | undefined {
  try {
    const options = { maxOutputLength: 16_777_216, info: true } as const;
    const { buffer } = zstdDecompressSync(from, options) as unknown as { buffer: Buffer };
    return buffer;
  } catch {
    return undefined;
  }
}

export function textsBelow(folder: string, texts: readonly string[]): string[] {
  return filesBelow(folder).flatMap((file) => textsIn(readFileSync(file), texts).map((text) => `${file}: ${text}`));
}
