import { createHash } from "node:crypto";
import { deflateRawSync, gzipSync } from "node:zlib";

/** What `sentry-cli` uploads: a bundle in chunks. */
export interface Upload {
  readonly checksum: string;
  readonly chunks: readonly { readonly hash: string; readonly content: Buffer }[];
}

/** A map whose only segment leads to line 2 of `src/cart.ts`. */
export function aMap(debugId: string): string {
  const sourcesContent = ["export function total(items: Item[]): number {\n  throw new Error('empty');\n}\n"];
  const map = { version: 3, sources: ["../../src/cart.ts"], sourcesContent, names: [], mappings: "AACE" };
  return JSON.stringify({ ...map, debug_id: debugId });
}

/**
 * Writes a bundle of scripts and maps in the form of `sentry-cli`: eight bytes, then an archive with a manifest.
 * `claimedBytes` is a wrong size of the maps in its list of files.
 */
export function aBundle(
  debugIds: readonly string[],
  { withIds = true, claimedBytes }: { withIds?: boolean; claimedBytes?: number } = {},
): Buffer {
  const files = debugIds.flatMap((debugId, n) => {
    const headers = withIds ? { "debug-id": debugId } : {};
    const path = `_/_/assets/${n}.js`;
    return [
      { path, type: "minified_source", headers, text: "throw new Error('empty')", claimed: undefined },
      { path: `${path}.map`, type: "source_map", headers, text: aMap(debugId), claimed: claimedBytes },
    ];
  });
  const listed = files.map(({ path, type, headers }) => [path, { type, url: `~/${path}`, headers }] as const);
  const manifest = JSON.stringify({ files: Object.fromEntries(listed) });
  return aZip([{ path: "manifest.json", text: manifest, claimed: undefined }, ...files], Buffer.from("SYSB\x02\0\0\0"));
}

interface ZippedFile {
  readonly path: string;
  readonly text: string;
  readonly claimed?: number | undefined;
}

/** An archive after other bytes. Offsets count from their beginning, as `sentry-cli` writes them. */
export function aZip(files: readonly ZippedFile[], before: Buffer = Buffer.alloc(0)): Buffer {
  const pieces: Buffer[] = [before];
  const list: Buffer[] = [];
  let at = before.length;
  for (const { path, text, claimed } of files) {
    const packed = deflateRawSync(text);
    const name = Buffer.from(path);
    const bytes = claimed ?? Buffer.byteLength(text);
    const file = Buffer.alloc(30);
    file.writeUInt32LE(0x04034b50, 0);
    file.writeUInt16LE(8, 8);
    file.writeUInt32LE(packed.length, 18);
    file.writeUInt32LE(bytes, 22);
    file.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(bytes, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    pieces.push(file, name, packed);
    list.push(entry, name);
    at += file.length + name.length + packed.length;
  }
  const listed = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...pieces, listed, end]);
}

export function uploadOf(bundle: Buffer, chunkBytes: number): Upload {
  const sha1 = (content: Buffer): string => createHash("sha1").update(content).digest("hex");
  const count = Math.ceil(bundle.length / chunkBytes);
  const chunks = Array.from({ length: count }, (_, n) => bundle.subarray(n * chunkBytes, (n + 1) * chunkBytes));
  return { checksum: sha1(bundle), chunks: chunks.map((content) => ({ hash: sha1(content), content })) };
}

export function uploadForm({ chunks }: Upload): FormData {
  const form = new FormData();
  for (const { hash, content } of chunks) form.append("file_gzip", new Blob([gzipSync(content)]), hash);
  return form;
}
