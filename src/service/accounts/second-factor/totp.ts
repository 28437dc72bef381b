import { createHmac } from "node:crypto";

/** The values that all authenticator apps know (RFC 6238; others are often ignored by them). */
export const totpStepSeconds = 30;
const digits = 6;

/** One step before and after: clocks of phones differ, and typing takes time (RFC 6238, section 5.2). */
const window = 1;

/** The code of a counter (RFC 4226, section 5.3). */
export function codeOfStep(secret: Uint8Array, step: number, length: number = digits, hash: string = "sha1"): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac(hash, secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** length).padStart(length, "0");
}

/** Returns the step whose code was typed, if it is near. The caller remembers it, so that no code works twice. */
export function stepOfCode(secret: Uint8Array, typed: string, nowMs: number): number | undefined {
  const now = Math.floor(nowMs / 1_000 / totpStepSeconds);
  for (let step = now - window; step <= now + window; step += 1) if (codeOfStep(secret, step) === typed) return step;
  return undefined;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 (RFC 4648) without padding: people type it, and apps expect it. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet.charAt((value >>> (bits - 5)) & 31);
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet.charAt((value << (5 - bits)) & 31);
}

/** The address that authenticator apps read from a QR code. */
export function otpauthAddress(secret: Uint8Array, account: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
