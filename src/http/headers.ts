import type { IncomingMessage } from "node:http";

/** Headers of every response of the application. */
export const constantHeaders: readonly string[] = [
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "strict-origin-when-cross-origin",
  "X-Frame-Options",
  "SAMEORIGIN",
  "Cross-Origin-Opener-Policy",
  "same-origin",
  "Permissions-Policy",
  "camera=(), geolocation=(), microphone=()",
];

/** Forbids every cache to store the response: the next visitor must not see this one's. */
export const noStore: readonly string[] = ["Cache-Control", "private, no-store"];

/** Whether the client is a script that reads JSON, and not a browser that shows a page. */
export function acceptsJson({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return headers.accept?.includes("application/json") === true;
}

/** Adds a `Set-Cookie` header for each cookie. */
export function withCookies(headers: string[], cookies: Iterable<string>): string[] {
  for (const cookie of cookies) headers.push("Set-Cookie", cookie);
  return headers;
}

/** Adds to the one `Vary` line: of several, nginx before 1.23 reads only the last. */
export function addVary(headers: string[], names: string): void {
  const at = placeOfVary(headers);
  if (at < 0) headers.push("Vary", names);
  else headers[at + 1] += `, ${names}`;
}

/** Each response asks, so only names of its length are read in lower case. */
function placeOfVary(headers: readonly string[]): number {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at];
    if (name?.length === 4 && name.toLowerCase() === "vary") return at;
  }
  return -1;
}

/** Each proxy appends its entry, so only the last one comes from a trusted proxy. */
export function lastForwarded(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header.join(",") : header;
  return text?.split(",").at(-1)?.trim() || undefined;
}
