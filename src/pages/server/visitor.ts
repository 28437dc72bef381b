import { createHmac } from "node:crypto";
import type { Cookies } from "./author/cookies.ts";

/**
 * More names than this are a program's doing; then every cookie counts. So many of usual length fit into a cookie
 * beside a result.
 */
const namesAtMost = 20;

/** The framework's own cookies say nothing of who the visitor is. */
export const ownPrefix = "holdfast-";

/**
 * By which cookies this application knows its visitors: those that its code reads, whatever they are called. Learned
 * while the process runs, from the request hook, guards, loads and actions; what is read for the first time changes the
 * tag of everyone once.
 */
export class VisitorCookies {
  readonly #names = new Set<string>();
  #all = false;

  /** The names in order, or undefined where all cookies count. */
  get names(): readonly string[] | undefined {
    return this.#all ? undefined : [...this.#names].sort();
  }

  get isEmpty(): boolean {
    return !this.#all && this.#names.size === 0;
  }

  noteRead(name: string): void {
    if (this.#all || this.#names.has(name) || name.startsWith(ownPrefix)) return;
    this.#names.add(name);
    if (this.#names.size > namesAtMost) this.noteAll();
  }

  /** The header was read as a whole. */
  noteAll(): void {
    this.#all = true;
    this.#names.clear();
  }
}

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
