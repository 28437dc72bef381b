/**
 * Replaces the variable parts of a message by the name of their kind, so that `Order 4711 not found` and `Order 4712
 * not found` are one issue.
 */

interface Kind {
  name: string;
  pattern: RegExp;
}

// The order matters: patterns that contain others are first (a URL contains a host, a date contains numbers).
const kinds: readonly Kind[] = [
  { name: "email", pattern: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g },
  { name: "url", pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]]+/gi },
  { name: "traceparent", pattern: /\b00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\b/gi },
  { name: "uuid", pattern: /(?<![a-z0-9])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![a-z0-9])/gi },
  { name: "digest", pattern: /\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b/g },
  {
    name: "date",
    pattern:
      /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? \w{3,9} \d{1,2},? \d{4}(?: \d{2}:\d{2}:\d{2}(?: \S+)?)?/g,
  },
  { name: "time", pattern: /\b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?\b/g },
  { name: "ip", pattern: /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{1,4}\b/gi },
  // Shortened IPv6: ::1, fe80::1. The digit distinguishes it from names in C++ and Rust.
  {
    name: "ip",
    pattern: /(?<![\w:])(?=[a-f:]{0,30}\d)(?:(?:[0-9a-f]{1,4}:){1,7}|:)(?::[0-9a-f]{1,4}){1,7}(?![\w:])/gi,
  },
  {
    name: "duration",
    pattern:
      /\b\d+(?:\.\d+)?\s?(?:ms|µs|us|ns|s|sec|seconds?|minutes?|hours?|days?)\b|\b(?:\d+(?:\.\d+)?(?:ms|µs|us|ns|[dhms])){2,9}\b/g,
  },
  {
    name: "hex",
    pattern: /\b0x[0-9a-f]+\b|(?<![a-z0-9])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,128}(?![a-z0-9])/gi,
  },
  // Other ids: long words with at least four digits among letters.
  { name: "id", pattern: /(?<![A-Za-z0-9])(?=\d*[A-Za-z])(?=(?:[A-Za-z]*\d){4})[A-Za-z0-9]{14,64}(?![A-Za-z0-9])/g },
  // A unit may follow: 12MB, 80px.
  { name: "number", pattern: /(?<![A-Za-z0-9])[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?/g },
];

// Longer texts are cut: the distinguishing part is at the beginning, and every pattern scans the whole text.
const mostCharacters = 2_000;

export function parameterise(text: string): string {
  let result = text.length > mostCharacters ? text.slice(0, mostCharacters) : text;
  for (const { name, pattern } of kinds) result = result.replace(pattern, `<${name}>`);
  return result.replace(/\s+/g, " ").trim();
}
