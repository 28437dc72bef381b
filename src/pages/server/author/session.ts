import { createHmac, timingSafeEqual } from "node:crypto";
import * as pageErrors from "../../errors.ts";
import type { Cookies } from "./cookies.ts";

export interface SessionOptions {
  /**
   * At least 32 characters. The first secret signs; the others still verify, so that a secret can be replaced without
   * signing everyone out.
   */
  secret: string | readonly string[];
  name?: string;
  /** Seconds until the visitor has to sign in again; 14 days by default. */
  maxAge?: number;
}

export interface Session<Value> {
  /** The written value, or `undefined` if there is none, it was changed, or it has expired. */
  read(cookies: Cookies): Value | undefined;
  write(cookies: Cookies, value: Value): void;
  clear(cookies: Cookies): void;
}

/**
 * Stores a small value in a signed cookie: the visitor's browser can read it, but a changed value is refused. The
 * prefix `__Host-` binds it to this host.
 *
 * @example const session = cookieSession<{ userId: string }>({ secret: env.SESSION_SECRET })
 */
export function cookieSession<Value>({
  secret,
  name = "__Host-session",
  maxAge = 1_209_600,
}: SessionOptions): Session<Value> {
  const secrets = typeof secret === "string" ? [secret] : secret;
  const [signing = ""] = secrets;
  for (const one of [signing, ...secrets]) if (one.length < 32) throw pageErrors.secretTooShort(one.length);

  return {
    read: (cookies) => {
      const [body = "", signature = "", ...more] = (cookies.get(name) ?? "").split(".");
      if (more.length > 0 || !secrets.some((one) => isSame(signature, sign(name, body, one)))) return undefined;
      const stored = JSON.parse(Buffer.from(body, "base64url").toString()) as { value: Value; until: number };
      return stored.until > Date.now() ? stored.value : undefined;
    },
    write: (cookies, value) => {
      const body = Buffer.from(JSON.stringify({ value, until: Date.now() + maxAge * 1000 })).toString("base64url");
      cookies.set(name, `${body}.${sign(name, body, signing)}`, { maxAge });
    },
    clear: (cookies) => cookies.delete(name),
  };
}

/** Signs the name too: a value for one cookie is invalid in another. */
function sign(name: string, body: string, secret: string): string {
  return createHmac("sha256", secret).update(`${name}.${body}`).digest("base64url");
}

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
