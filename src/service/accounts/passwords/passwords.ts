import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

/** 32 MiB and about 200 ms per attempt on a current server: one of OWASP's equivalent settings for scrypt. */
export const passwordCost: ScryptOptions = { N: 32_768, r: 8, p: 3, maxmem: 67_108_864 };

/** Returns salt and hash in one text. */
export async function hashPassword(password: string, cost: ScryptOptions): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString("base64url")}.${(await derive(password, salt, cost)).toString("base64url")}`;
}

export async function isPassword(password: string, stored: string, cost: ScryptOptions): Promise<boolean> {
  const [salt = "", hash = ""] = stored.split(".").map((part) => Buffer.from(part, "base64url"));
  const derived = await derive(password, Buffer.from(salt), cost);
  return derived.length === hash.length && timingSafeEqual(derived, Buffer.from(hash));
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key))),
  );
}
