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

/** Longer than the names of all cookies that may identify a visitor. */
const stampCharacters = 4_096;

/** Reads a stamp that a browser sent back. Anything else is the stamp of no visitor. */
export function readStamp(text: string): string {
  try {
    const value: unknown = text.length <= stampCharacters && JSON.parse(text);
    const [by, hash]: unknown[] = Array.isArray(value) ? value : [];
    const isBy = by === null || by === "visitor" || (Array.isArray(by) && by.every((name) => typeof name === "string"));
    return isBy && typeof hash === "string" ? JSON.stringify([by, hash]) : noVisitor;
  } catch {
    return noVisitor;
  }
}

const noVisitor = '["visitor",""]';

function hashOf(text: string, key: Uint8Array): string {
  return createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);
}
