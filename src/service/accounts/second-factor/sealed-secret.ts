import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Keys of this machine, the present one first. Asked for only where a second factor is used. */
export type SealKeys = () => Promise<readonly Uint8Array[]>;

const ivBytes = 12;
const tagBytes = 16;

/** Encrypts and authenticates a secret (AES-256-GCM) for one account: it cannot be moved to another. */
export async function sealSecret(secret: Uint8Array, account: string, keys: SealKeys): Promise<string> {
  const [key] = await keys();
  if (key === undefined) throw new Error("A second factor needs a key to seal its secret.");
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", ownKey(key), iv).setAAD(Buffer.from(account));
  const body = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
}

/** Undefined if another key has sealed it, or for another account. */
export async function openSecret(sealed: string, account: string, keys: SealKeys): Promise<Buffer | undefined> {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length <= ivBytes + tagBytes) return undefined;
  for (const key of await keys()) {
    const decipher = createDecipheriv("aes-256-gcm", ownKey(key), bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(account))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
    } catch {
      // An earlier key may open it.
    }
  }
  return undefined;
}

/** The same key seals what visitors send back. This purpose gets one of its own. */
function ownKey(key: Uint8Array): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", "holdfast second factor", 32));
}
