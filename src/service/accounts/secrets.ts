import { createHash, randomBytes } from "node:crypto";

/** A long random text. Only its hash is stored, so a reader of the file cannot use it. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
