import { parseCookie, stringifySetCookie } from "cookie";
import * as pageErrors from "../errors.ts";

export interface CookieOptions {
  /** Seconds; without it the cookie ends with the browser session. */
  maxAge?: number;
  path?: string;
  domain?: string;
  sameSite?: "lax" | "strict" | "none";
  httpOnly?: boolean;
}

/** Browsers keep at most this many bytes of one cookie, name and attributes included (RFC 6265bis). */
const cookieBytes = 4096;

/** The visitor's cookies, and those that the answer will set. HttpOnly, Secure and SameSite=Lax unless said otherwise. */
export class Cookies {
  readonly #header: string;
  readonly #changed = new Map<string, string>();
  #read: Readonly<Record<string, string | undefined>> | undefined;
  #sent = false;

  constructor(header: string) {
    this.#header = header;
  }

  get(name: string): string | undefined {
    this.#read ??= parseCookie(this.#header);
    return this.#read[name];
  }

  set(name: string, value: string, options: CookieOptions = {}): void {
    if (this.#sent) throw pageErrors.cookieTooLate(name);
    const line = stringifySetCookie({
      name,
      value,
      path: "/",
      httpOnly: true,
      secure: true,
      sameSite: "lax",
      ...options,
    });
    if (line.length > cookieBytes) throw pageErrors.cookieTooLarge(name, line.length);
    this.#changed.set(name, line);
    this.#read = { ...(this.#read ?? parseCookie(this.#header)), [name]: value };
  }

  delete(name: string, options: Pick<CookieOptions, "path" | "domain"> = {}): void {
    this.set(name, "", { ...options, maxAge: 0 });
    this.#read = { ...this.#read, [name]: undefined };
  }

  /** The `Set-Cookie` lines; from now on it is too late for more. */
  toSend(): readonly string[] {
    this.#sent = true;
    return this.#changed.size === 0 ? none : [...this.#changed.values()];
  }

  /** Changes when the visitor signs in or out, so that pages fetched for one are not shown to the other. */
  sessionTag(): string {
    if (!this.#header.includes("__")) return "";
    this.#read ??= parseCookie(this.#header);
    let hash = 0;
    for (const [name, value] of Object.entries(this.#read)) {
      if (name.startsWith("__Host-") || name.startsWith("__Secure-")) hash = mix(hash, `${name}=${value}`);
    }
    return hash === 0 ? "" : (hash >>> 0).toString(36);
  }
}

const none: readonly string[] = [];

/** FNV-1a: tells values apart and gives none away, since 32 bits are kept of a secret of hundreds. */
function mix(hash: number, text: string): number {
  let mixed = hash || 0x811c9dc5;
  for (let index = 0; index < text.length; index++) mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193);
  return mixed;
}
