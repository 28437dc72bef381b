import { createHmac } from "node:crypto";
import type { Cookies } from "../author/cookies.ts";

/** How a visitor is known again later, by any process: the cookies that counted, and a hash of their values. */
export function stampOf(cookies: Cookies, names: readonly string[] | undefined, key: Uint8Array): string {
  const values = cookies.valuesOf(names);
  return JSON.stringify([names ?? null, hashOf(JSON.stringify(values), key)]);
}

/** The same for what the application itself says of its visitor. */
export function stampOfVisitor(visitor: string, key: Uint8Array): string {
  return JSON.stringify(["visitor", hashOf(visitor, key)]);
}

/**
 * Whether the visitor who sent these cookies, and of whom the application says this, is one of those who were stamped.
 */
export function isStamped(stamps: string, cookies: Cookies, visitor: string | undefined, key: Uint8Array): boolean {
  return stamps.split("\n").some((stamp) => {
    const [by] = JSON.parse(stamp) as [readonly string[] | "visitor" | null, string];
    if (by === "visitor") return visitor !== undefined && stamp === stampOfVisitor(visitor, key);
    return stamp === stampOf(cookies, by ?? undefined, key);
  });
}

function hashOf(text: string, key: Uint8Array): string {
  return createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);
}
