import { readPathSegment } from "./read-segment.ts";
import { writePathSegment } from "./write-segment.ts";

/** Result of parsing a request target. A guard and a router that both use `path` cannot disagree about the page. */
export type CanonicalPath =
  /** `search` begins with `?` or is empty. */
  | { kind: "canonical"; path: string; search: string }
  /** The canonical spelling of the address. Begins with a single slash, so it never leaves this origin. */
  | { kind: "redirect"; to: string }
  | { kind: "bad"; why: BadPath };

export type BadPath =
  | "not-origin-form"
  | "fragment"
  | "raw-character"
  | "malformed-encoding"
  | "encoded-separator"
  | "control-character"
  | "dot-segment"
  | "encoded-twice";

/**
 * Normalizes a request target (`/orders/7?x=1`, as in the request line). Addresses that browsers never send and that
 * parsers interpret differently are bad; addresses that are only spelled unusually are redirected.
 */
export function canonicalPath(target: string): CanonicalPath {
  if (ordinary.test(target)) return { kind: "canonical", path: target, search: "" };
  if (!target.startsWith("/")) return { kind: "bad", why: "not-origin-form" };
  if (target.includes("#")) return { kind: "bad", why: "fragment" };
  const question = target.indexOf("?");
  const rawPath = question < 0 ? target : target.slice(0, question);
  const search = question < 0 || question === target.length - 1 ? "" : target.slice(question);
  if (!rawCharacters.test(rawPath) || rawControl.test(search)) return { kind: "bad", why: "raw-character" };

  let path = "";
  for (const raw of rawPath.split("/")) {
    if (raw === "") continue;
    const text = readPathSegment(raw);
    if (text === null) return { kind: "bad", why: "malformed-encoding" };
    const why = whyBad(text);
    if (why) return { kind: "bad", why };
    path += `/${writePathSegment(text)}`;
  }
  path ||= "/";
  return path === rawPath ? { kind: "canonical", path, search } : { kind: "redirect", to: path + search };
}

/** Almost every address: segments of letters, digits and unreserved marks, none of which begins with a dot. */
const ordinary = /^\/(?:[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*)?$/;

/** Visible ASCII without the backslash, which browsers read as a slash and servers do not. */
const rawCharacters = /^[!-[\]-~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const rawControl = /[\x00-\x20\x7f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const decodedControl = /[\x00-\x1f\x7f-\x9f]/;

function whyBad(text: string): BadPath | null {
  if (text === "." || text === "..") return "dot-segment";
  if (/[/\\]/.test(text)) return "encoded-separator";
  if (decodedControl.test(text)) return "control-character";
  // A later reader that decodes once more would see a different path than the guard.
  if (/%[0-9a-f]{2}/i.test(text)) return "encoded-twice";
  return null;
}
