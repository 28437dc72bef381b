import { createHmac } from "node:crypto";
import type { Cookies } from "../author/cookies.ts";

/**
 * Identifies a visitor for later requests to any process: the names of the identifying cookies, and a hash of their
 * values.
 */
export function stampOf(cookies: Cookies, names: readonly string[] | undefined, key: Uint8Array): string {
  const values = cookies.valuesOf(names);
  return JSON.stringify([names ?? null, hashOf(JSON.stringify(values), key)]);
}

/** The same for a visitor whom the application identifies itself. */
export function stampOfVisitor(visitor: string, key: Uint8Array): string {
  return JSON.stringify(["visitor", hashOf(visitor, key)]);
}

/** Whether one of the stamps belongs to the visitor with these cookies and this identity. */
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
