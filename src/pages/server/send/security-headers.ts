import { createHash, randomFillSync } from "node:crypto";
import { builtInStyle } from "../../react/built-in-style.ts";
import { lateStyle } from "./static-pages.ts";

/**
 * Additions of the application to the Content Security Policy, by directive: `{ "img-src": ["https://images.example"]
 * }`.
 */
export interface SecurityPolicy {
  csp: Readonly<Record<string, readonly string[]>>;
  /** Sent only over https. */
  hsts: boolean;
}

const hsts: readonly string[] = ["Strict-Transport-Security", "max-age=31536000"];
const none: readonly string[] = [];

/** HSTS (RFC 6797) for every response over https. */
export function hstsFor(policy: SecurityPolicy, origin: string): readonly string[] {
  return policy.hsts && origin.startsWith("https:") ? hsts : none;
}

const directives: Readonly<Record<string, readonly string[]>> = {
  "default-src": ["'self'"],
  "script-src": ["'strict-dynamic'"],
  // Attributes, because React writes `style={…}` as one; style elements only from files, or by hash.
  "style-src": ["'self'"],
  "style-src-attr": ["'unsafe-inline'"],
  "img-src": ["'self'", "data:", "blob:"],
  "font-src": ["'self'", "data:"],
  "connect-src": ["'self'"],
  "object-src": ["'none'"],
  "base-uri": ["'none'"],
  "form-action": ["'self'"],
  "frame-ancestors": ["'self'"],
};

/**
 * Writes the header of one response: scripts are allowed by the nonce of this response, or by hash if it may be cached.
 */
export type WriteCsp = (scripts: string, nonce?: string) => string;

export function createCspWriter(policy: SecurityPolicy): WriteCsp {
  const all = new Map(Object.entries(directives).map(([name, values]) => [name, [...values]]));
  for (const [name, values] of Object.entries(policy.csp))
    all.set(name, [...(all.get(name) ?? []).filter((one) => one !== "'none'"), ...values]);
  const styles = all.get("style-src") ?? [];
  // If an application allows all inline styles, a hash would forbid those without one.
  if (!styles.includes("'unsafe-inline'"))
    styles.push(...[builtInStyle, lateStyle].map((style) => `'sha256-${sha256(style)}'`));
  const scripts = (all.get("script-src") ?? []).join(" ");
  all.delete("script-src");
  const rest = [...all].map(
    ([name, values]) => `${name} ${values.join(" ")}${takesNonce(name, values) ? nonceMark : ""}`,
  );
  const pieces = rest.join("; ").split(nonceMark);
  return (allowed, nonce) =>
    `script-src ${allowed} ${scripts}; ${pieces.join(nonce === undefined ? "" : ` 'nonce-${nonce}'`)}`;
}

/** Stands where the nonce of a response is written. No source has a line end. */
const nonceMark = "\n";

/** `<style>` elements with the nonce are allowed. Browsers ignore `'unsafe-inline'` beside a nonce. */
function takesNonce(name: string, sources: readonly string[]): boolean {
  return /^style-src(?:-elem)?$/.test(name) && !sources.includes("'unsafe-inline'");
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/** 144 random bits; the CSP specification requires 128. As a multiple of three bytes they need no padding. */
const nonceBytes = 18;
const nonceLength = 24;

// One call of the random source serves 256 responses; a call for each would cost more than the rest of the header.
const pool = Buffer.alloc(nonceBytes * 256);
let nonces = "";
let used = 0;

/** Generated, never read from a request. */
export function newNonce(): string {
  if (used === nonces.length) {
    nonces = randomFillSync(pool).toString("base64");
    used = 0;
  }
  used += nonceLength;
  return nonces.slice(used - nonceLength, used);
}
