import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { openAsBlob } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import path from "node:path";
import { newUploadName } from "../body/upload-folder.ts";
import type { SealedFile } from "./kept-store.ts";

/** What a submission needs to be run later. Only ever on disk sealed. */
export interface KeptContent {
  version: 1;
  /** The id of the route, and the values of its parameters. */
  route: string;
  params: Readonly<Record<string, string>>;
  path: string;
  search: string;
  origin: string;
  lang: string;
  action: string;
  /** The key that the application gets; null if its sender gave none. */
  key: string | null;
  /** Its row in the memory of submissions, in hexadecimal digits. */
  row: string | null;
  at: number;
  build: string;
  /** The result of `identity` as tagged JSON; null without one. */
  identity: string | null;
  body: KeptBody;
}

/** As it was sent, so that a corrected schema judges it. */
export type KeptBody =
  | { kind: "json"; value: unknown }
  /** `stored`: the texts in it that stand for files in the application's own store. */
  | { kind: "form"; fields: readonly KeptField[]; stored: readonly string[] };

export type KeptField = readonly [name: string, value: string | KeptFile];

export interface KeptFile {
  name: string;
  type: string;
  size: number;
}

export type Unsealed = { kind: "open"; content: KeptContent } | { kind: "other-key" } | { kind: "damaged" };

const magic = Buffer.from("HFK1");
const keyNameBytes = 8;
const idBytes = 16;
const ivBytes = 12;
const tagBytes = 16;
const headBytes = magic.length + keyNameBytes + idBytes + ivBytes;
/** The length of the content stands before it. */
const lengthBytes = 4;

export interface SealedPieces {
  bytes: number;
  pieces: AsyncIterable<Buffer>;
}

/**
 * Encrypts a submission (AES-256-GCM, with a key of its own): head, then length and content as JSON, then its files one
 * after the other, then the tag. The head is authenticated too.
 */
export function sealSubmission(
  id: string,
  content: KeptContent,
  files: readonly File[],
  sealKey: Uint8Array,
): SealedPieces {
  const iv = randomBytes(ivBytes);
  const head = Buffer.concat([magic, keyName(sealKey), Buffer.from(id, "hex"), iv]);
  const json = Buffer.from(JSON.stringify(content));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(json.length);
  const fileBytes = files.reduce((sum, { size }) => sum + size, 0);
  const bytes = headBytes + lengthBytes + json.length + fileBytes + tagBytes;
  return { bytes, pieces: encrypted() };

  async function* encrypted(): AsyncGenerator<Buffer, void> {
    const cipher = createCipheriv("aes-256-gcm", keyFor(id, sealKey), iv).setAAD(head);
    const first = Buffer.concat([head, cipher.update(length), cipher.update(json)]);
    if (files.length === 0) {
      cipher.final();
      yield Buffer.concat([first, cipher.getAuthTag()]);
      return;
    }
    yield first;
    for (const file of files) for await (const piece of file.stream()) yield cipher.update(piece);
    cipher.final();
    yield cipher.getAuthTag();
  }
}

/** Reads and checks the content. Its files are decrypted too, because only the whole can be checked. */
export async function unsealSubmission(id: string, sealed: SealedFile, keys: readonly Uint8Array[]): Promise<Unsealed> {
  return decrypt(id, sealed, keys, async () => undefined);
}

export interface RestoredFiles {
  form: FormData;
  dispose(): Promise<void>;
}

/** Restores a posted form with its files, which are written to disk while they are used. */
export async function restoreForm(
  id: string,
  sealed: SealedFile,
  keys: readonly Uint8Array[],
  folder: string,
): Promise<RestoredFiles | undefined> {
  const own = await mkdtemp(path.join(folder, newUploadName()));
  const whole = path.join(own, "files");
  const dispose = (): Promise<void> => rm(own, { recursive: true, force: true });
  const handle = await open(whole, "wx", 0o600);
  let unsealed: Unsealed;
  try {
    unsealed = await decrypt(id, sealed, keys, async (piece) => void (await handle.write(piece)));
  } catch (error) {
    await dispose();
    throw error;
  } finally {
    await handle.close();
  }
  if (unsealed.kind !== "open" || unsealed.content.body.kind !== "form") {
    await dispose();
    return undefined;
  }
  const form = new FormData();
  const all = await openAsBlob(whole);
  let at = 0;
  for (const [name, value] of unsealed.content.body.fields) {
    if (typeof value === "string") form.append(name, value);
    else {
      form.append(name, new File([all.slice(at, at + value.size)], value.name, { type: value.type }));
      at += value.size;
    }
  }
  return { form, dispose };
}

async function decrypt(
  id: string,
  sealed: SealedFile,
  keys: readonly Uint8Array[],
  takeFileBytes: (piece: Buffer) => Promise<void>,
): Promise<Unsealed> {
  if (sealed.size < headBytes + lengthBytes + tagBytes) return { kind: "damaged" };
  const bodyEnd = sealed.size - tagBytes;
  const head = await all(sealed.read(0, headBytes));
  const name = head.subarray(magic.length, magic.length + keyNameBytes);
  const ownId = head.subarray(headBytes - ivBytes - idBytes, headBytes - ivBytes).toString("hex");
  if (!head.subarray(0, magic.length).equals(magic) || ownId !== id) return { kind: "damaged" };
  const key = keys.find((one) => keyName(one).equals(name));
  if (!key) return { kind: "other-key" };
  const decipher = createDecipheriv("aes-256-gcm", keyFor(id, key), head.subarray(headBytes - ivBytes))
    .setAAD(head)
    .setAuthTag(await all(sealed.read(bodyEnd, sealed.size)));
  let json: Buffer | undefined;
  let begun: Buffer = Buffer.alloc(0);
  for await (const piece of sealed.read(headBytes, bodyEnd)) {
    const plain = decipher.update(piece);
    if (json) {
      await takeFileBytes(plain);
      continue;
    }
    begun = Buffer.concat([begun, plain]);
    if (begun.length < lengthBytes) continue;
    const end = lengthBytes + begun.readUInt32BE();
    if (end > sealed.size) return { kind: "damaged" };
    if (begun.length < end) continue;
    json = begun.subarray(lengthBytes, end);
    if (begun.length > end) await takeFileBytes(begun.subarray(end));
  }
  try {
    decipher.final();
    // Written by this code, which the tag proves.
    return json ? { kind: "open", content: JSON.parse(json.toString()) as KeptContent } : { kind: "damaged" };
  } catch {
    return { kind: "damaged" };
  }
}

async function all(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read);
}

function keyFor(id: string, sealKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", sealKey, Buffer.from(id, "hex"), "kept submission 1", 32));
}

/** Tells which key opens a file, and nothing about the key. */
function keyName(sealKey: Uint8Array): Buffer {
  return createHmac("sha256", sealKey).update("name of the key of kept submissions").digest().subarray(0, keyNameBytes);
}
