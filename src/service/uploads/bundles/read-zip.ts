import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";

const inflate = promisify(inflateRaw);

/** A file in an archive. Its name is text and never a path on a disk. */
export interface ZipEntry {
  readonly name: string;
  /** Decompressed size, as the archive claims it. */
  readonly bytes: number;
  /** Returns undefined if it is damaged or larger than claimed. */
  read(): Promise<Buffer | undefined>;
}

export type ZipReading = { kind: "read"; entries: ReadonlyMap<string, ZipEntry> } | { kind: "unreadable"; why: string };

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const fileMark = 0x04034b50;
const endBytes = 22;
const entryBytes = 46;
const fileBytes = 30;
/** The end record is followed by a comment of at most this length. */
const commentBytes = 65_535;

/**
 * Reads the list of files of an archive in memory. Nothing is decompressed before an entry is read, and then no more
 * than the list claims, so a bomb is known by its claims. Bytes before the archive are allowed: bundles have a header.
 */
export function readZip(bytes: Buffer, mostEntries: number): ZipReading {
  const end = endOf(bytes);
  if (end === undefined) return unreadable("it is not a ZIP archive");
  const count = bytes.readUInt16LE(end + 10);
  const listBytes = bytes.readUInt32LE(end + 12);
  const listAt = bytes.readUInt32LE(end + 16);
  if (count > mostEntries) return unreadable(`it has more than ${mostEntries} files`);
  const before = end - listBytes - listAt;
  if (before < 0) return unreadable("its list of files is outside of it");
  const entries = new Map<string, ZipEntry>();
  let at = listAt + before;
  for (let n = 0; n < count; n++) {
    if (at + entryBytes > end || bytes.readUInt32LE(at) !== entryMark)
      return unreadable("its list of files is damaged");
    const nameBytes = bytes.readUInt16LE(at + 28);
    const name = bytes.toString("utf8", at + entryBytes, at + entryBytes + nameBytes);
    if (entries.has(name)) return unreadable(`it has two files of the name ${name.slice(0, 200)}`);
    const entry = entryAt(bytes, at, { name, before });
    if (entry === undefined) return unreadable(`${name.slice(0, 200)} is encrypted or packed in an unknown way`);
    entries.set(name, entry);
    at += entryBytes + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return { kind: "read", entries };
}

function entryAt(bytes: Buffer, at: number, { name, before }: { name: string; before: number }): ZipEntry | undefined {
  const isEncrypted = (bytes.readUInt16LE(at + 8) & 1) !== 0;
  const method = bytes.readUInt16LE(at + 10);
  const packedBytes = bytes.readUInt32LE(at + 20);
  const plainBytes = bytes.readUInt32LE(at + 24);
  const fileAt = bytes.readUInt32LE(at + 42) + before;
  if (isEncrypted || (method !== 0 && method !== 8)) return undefined;
  return {
    name,
    bytes: plainBytes,
    async read() {
      if (fileAt + fileBytes > bytes.length || bytes.readUInt32LE(fileAt) !== fileMark) return undefined;
      const from = fileAt + fileBytes + bytes.readUInt16LE(fileAt + 26) + bytes.readUInt16LE(fileAt + 28);
      const packed = bytes.subarray(from, from + packedBytes);
      if (method === 0) return packed.length === plainBytes ? packed : undefined;
      try {
        const plain = await inflate(packed, { maxOutputLength: Math.max(1, plainBytes) });
        return plain.length === plainBytes ? plain : undefined;
      } catch {
        // Damaged, or larger than claimed.
        return undefined;
      }
    },
  };
}

function endOf(bytes: Buffer): number | undefined {
  const least = Math.max(0, bytes.length - endBytes - commentBytes);
  for (let at = bytes.length - endBytes; at >= least; at--) if (bytes.readUInt32LE(at) === endMark) return at;
  return undefined;
}

function unreadable(why: string): ZipReading {
  return { kind: "unreadable", why };
}
