import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts and authenticates a text (AES-256-GCM), so that only this application can read or write it, and only for the
 * same `meant`.
 */
export function seal(text: string, key: Uint8Array, meant: Uint8Array): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(meant);
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/** Undefined for text of another writer, or with another `meant`. */
export function unseal(sealed: Uint8Array, key: Uint8Array, meant: Uint8Array): string | undefined {
  if (sealed.length <= ivBytes + tagBytes) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, ivBytes))
    .setAAD(meant)
    .setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  try {
    return decipher.update(sealed.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}
