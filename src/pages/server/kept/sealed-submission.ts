import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { openSealed } from "../body/sealed-blob.ts";
import { isIntact, type SealedPart } from "../body/sealed-part.ts";

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
  /** The form that was sent. */
  slot: string;
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
  | {
      kind: "form";
      fields: readonly KeptField[];
      /** Values of `rowsField`, if it had lists with rows. */
      rows?: readonly string[];
      /** The texts in it that stand for files in the application's own store. */
      stored: readonly string[];
      /** Opens its files, in base64; null without files. */
      fileKey: string | null;
    };

export type KeptField = readonly [name: string, value: string | KeptFile];

export interface KeptFile extends SealedPart {
  name: string;
  type: string;
}

export type Unsealed = { kind: "open"; content: KeptContent } | { kind: "other-key" } | { kind: "damaged" };

const magic = Buffer.from("HFK2");
const keyNameBytes = 8;
const idBytes = 16;
const ivBytes = 12;
const tagBytes = 16;
const lengthBytes = 4;
const footBytes = magic.length + keyNameBytes + idBytes + ivBytes + lengthBytes;

/**
 * Encrypts what is known of a submission (AES-256-GCM, with a key of its own): its content as JSON, the tag, and a foot
 * that says which key opens it and how long the JSON is. The foot is authenticated too. On disk its files are before
 * that, encrypted with a key that is part of the content.
 */
export function sealSubmission(id: string, content: KeptContent, sealKey: Uint8Array): Buffer {
  const iv = randomBytes(ivBytes);
  const json = Buffer.from(JSON.stringify(content));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(json.length);
  const foot = Buffer.concat([magic, ownKeysOf(sealKey).name, Buffer.from(id, "hex"), iv, length]);
  const cipher = createCipheriv("aes-256-gcm", keyFor(id, sealKey), iv).setAAD(foot);
  return Buffer.concat([cipher.update(json), cipher.final(), cipher.getAuthTag(), foot]);
}

/** Reads and checks the content, and not its files. */
export async function unsealSubmission(id: string, handle: FileHandle, keys: readonly Uint8Array[]): Promise<Unsealed> {
  const { size } = await handle.stat();
  const footAt = size - footBytes;
  const foot = await readAt(handle, footAt, footBytes);
  const name = foot?.subarray(magic.length, magic.length + keyNameBytes);
  if (!foot || !name || !foot.subarray(0, magic.length).equals(magic)) return { kind: "damaged" };
  const idAt = magic.length + keyNameBytes;
  const ivAt = idAt + idBytes;
  if (foot.toString("hex", idAt, ivAt) !== id) return { kind: "damaged" };
  const key = keys.find((one) => ownKeysOf(one).name.equals(name));
  if (!key) return { kind: "other-key" };
  const length = foot.readUInt32BE(footBytes - lengthBytes);
  const sealed = await readAt(handle, footAt - tagBytes - length, length + tagBytes);
  if (!sealed) return { kind: "damaged" };
  const decipher = createDecipheriv("aes-256-gcm", keyFor(id, key), foot.subarray(ivAt, ivAt + ivBytes))
    .setAAD(foot)
    .setAuthTag(sealed.subarray(length));
  try {
    const json = Buffer.concat([decipher.update(sealed.subarray(0, length)), decipher.final()]);
    // Written by this code, which the tag proves.
    return { kind: "open", content: JSON.parse(json.toString()) as KeptContent };
  } catch {
    return { kind: "damaged" };
  }
}

/** Restores a posted form. Its files are read from the copy itself, and never written in plain form. */
export async function restoreForm(
  handle: FileHandle,
  { fields, fileKey }: Extract<KeptBody, { kind: "form" }>,
): Promise<FormData | undefined> {
  const source = { handle, key: Buffer.from(fileKey ?? "", "base64") };
  const form = new FormData();
  for (const [name, value] of fields) {
    if (typeof value === "string") form.append(name, value);
    else if (await isIntact(source, value)) form.append(name, openSealed(value, source, value));
    else return undefined;
  }
  return form;
}

/** Undefined if the file does not have these bytes. */
async function readAt(handle: FileHandle, at: number, length: number): Promise<Buffer | undefined> {
  if (at < 0) return undefined;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
  return bytesRead === length ? buffer : undefined;
}

/** What is made from a seal key once, because the visitor waits. */
interface OwnKeys {
  /** Tells which key opens a file, and nothing about the key. */
  name: Buffer;
  /** The key of each submission is made from it. */
  base: Uint8Array;
}

const ownKeys = new WeakMap<Uint8Array, OwnKeys>();

function ownKeysOf(sealKey: Uint8Array): OwnKeys {
  const known = ownKeys.get(sealKey);
  if (known) return known;
  const made = (purpose: string, bytes: number) => new Uint8Array(hkdfSync("sha256", sealKey, "", purpose, bytes));
  const own = {
    name: Buffer.from(made("name of the key of kept submissions", keyNameBytes)),
    base: made("kept submission 2", 32),
  };
  ownKeys.set(sealKey, own);
  return own;
}

/** A key of its own for each submission, so that none of them limits how many the others are. */
function keyFor(id: string, sealKey: Uint8Array): Uint8Array {
  return createHmac("sha256", ownKeysOf(sealKey).base).update(Buffer.from(id, "hex")).digest();
}
