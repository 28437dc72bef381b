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

/** Adds a `Set-Cookie` header for each cookie. */
export function withCookies(headers: string[], cookies: Iterable<string>): string[] {
  for (const cookie of cookies) headers.push("Set-Cookie", cookie);
  return headers;
}
