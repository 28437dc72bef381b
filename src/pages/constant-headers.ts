/** Headers that every answer of the application carries. */
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
