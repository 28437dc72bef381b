import { parseCookie, stringifySetCookie } from "cookie";
import * as pageErrors from "../../errors.ts";
import { ownPrefix, type VisitorCookies } from "../visitor/visitor-cookies.ts";

export interface CookieOptions {
  /** Seconds; without it the cookie ends with the browser session. */
  maxAge?: number;
  path?: string;
  domain?: string;
  sameSite?: "lax" | "strict" | "none";
  httpOnly?: boolean;
}

/** Browsers accept at most this many bytes for one cookie, name and attributes included (RFC 6265bis). */
const cookieBytes = 4096;

/** The visitor's cookies, and those that the response will set. HttpOnly, Secure and SameSite=Lax by default. */
export class Cookies {
  readonly #header: string;
  readonly #lines = new Map<string, string>();
  #values: Map<string, string> | undefined;
  #sealed = false;

  readonly #visitors: VisitorCookies | undefined;

  /** `visitors` records which cookies identify the application's visitors. */
  constructor(header: string, visitors?: VisitorCookies) {
    this.#header = header;
    this.#visitors = visitors;
  }

  get(name: string): string | undefined {
    this.#visitors?.noteRead(name);
    return this.#known().get(name);
  }

  set(name: string, value: string, options: CookieOptions = {}): void {
    this.#change(name, value, options);
    this.#known().set(name, value);
  }

  delete(name: string, options: Pick<CookieOptions, "path" | "domain"> = {}): void {
    this.#change(name, "", { ...options, maxAge: 0 });
    this.#known().delete(name);
  }

  /** Setting a cookie fails from now on. */
  seal(): void {
    this.#sealed = true;
  }

  reopen(): void {
    this.#sealed = false;
  }

  /** The `Set-Cookie` lines so far, by name. */
  lines(): ReadonlyMap<string, string> {
    return new Map(this.#lines);
  }

  /** The `Set-Cookie` lines. */
  toSend(): readonly string[] {
    this.seal();
    return this.#lines.size === 0 ? none : [...this.#lines.values()];
  }

  /** Repeats a `Set-Cookie` line of an earlier response. */
  restore(name: string, line: string): void {
    const [pair = ""] = line.split(";", 1);
    const value = parseCookie(pair)[name];
    this.#lines.set(name, line);
    if (value === undefined || value === "") this.#known().delete(name);
    else this.#known().set(name, value);
  }

  /** The cookies of these names that exist; without names, all except the framework's own. */
  valuesOf(names: readonly string[] | undefined): [name: string, value: string][] {
    const known = this.#known();
    const wanted = names ?? [...known.keys()].filter((name) => !name.startsWith(ownPrefix)).sort();
    return wanted.flatMap((name) => {
      const value = known.get(name);
      return value === undefined ? [] : [[name, value]];
    });
  }

  /** Changes when the visitor signs in or out, so that one session's pages are not shown in another. */
  sessionTag(): string {
    if (!this.#visitors || this.#visitors.isEmpty || (this.#lines.size === 0 && this.#header === "")) return "";
    return tagOf(this.valuesOf(this.#visitors.names));
  }

  #known(): Map<string, string> {
    if (!this.#values) {
      this.#values = new Map();
      for (const [name, value] of Object.entries(parseCookie(this.#header)))
        if (value !== undefined) this.#values.set(name, value);
    }
    return this.#values;
  }

  #change(name: string, value: string, options: CookieOptions): void {
    if (this.#sealed) throw pageErrors.cookieTooLate(name);
    const line = cookieLine(name, value, options);
    if (line.length > cookieBytes) throw pageErrors.cookieTooLarge(name, line.length);
    this.#lines.set(name, line);
  }
}

/** Writes a `Set-Cookie` line: HttpOnly, Secure and SameSite=Lax by default. */
export function cookieLine(name: string, value: string, options: CookieOptions): string {
  return stringifySetCookie({ name, value, path: "/", httpOnly: true, secure: true, sameSite: "lax", ...options });
}

const none: readonly string[] = [];

/** Empty if nothing identifies the visitor. */
export function tagOf(values: readonly (readonly [name: string, value: string])[]): string {
  let hash = 0;
  for (const [name, value] of values) hash = mix(hash, `${name}=${value}`);
  return hash === 0 ? "" : (hash >>> 0).toString(36);
}

/** FNV-1a: distinguishes values and reveals none, since 32 bits remain of a secret of hundreds. */
function mix(hash: number, text: string): number {
  let mixed = hash || 0x811c9dc5;
  for (let index = 0; index < text.length; index++) mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193);
  return mixed;
}
