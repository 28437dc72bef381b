/**
 * Directives of a Content Security Policy: those of level 3, of the specifications that add some, and older ones that
 * browsers still read. Browsers ignore every other name, and with it what it should allow.
 */
const directiveNames: ReadonlySet<string> = new Set([
  "base-uri",
  "block-all-mixed-content",
  "child-src",
  "connect-src",
  "default-src",
  "fenced-frame-src",
  "font-src",
  "form-action",
  "frame-ancestors",
  "frame-src",
  "img-src",
  "manifest-src",
  "media-src",
  "object-src",
  "prefetch-src",
  "report-to",
  "report-uri",
  "require-sri-for",
  "require-trusted-types-for",
  "sandbox",
  "script-src",
  "script-src-attr",
  "script-src-elem",
  "style-src",
  "style-src-attr",
  "style-src-elem",
  "trusted-types",
  "upgrade-insecure-requests",
  "webrtc",
  "worker-src",
]);

export function isDirectiveName(name: string): boolean {
  return directiveNames.has(name);
}
