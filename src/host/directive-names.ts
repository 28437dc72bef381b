/**
 * Directives of a Content Security Policy: those of level 3, of the specifications that add some, and older ones that
 * browsers still read.
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

/**
 * What is wrong with the name of a directive. Browsers ignore a name that they do not know, and with it what it should
 * allow. An unknown name may be one that newer browsers know, unless it is nearly the same as a known one.
 */
export type DirectiveProblem = { kind: "misspelled"; meant: string } | { kind: "malformed" };

export function problemOfDirective(name: string): DirectiveProblem | undefined {
  if (directiveNames.has(name)) return undefined;
  const meant = nearestTo(name.toLowerCase().replaceAll(/[\s_]/g, "-"));
  if (meant !== undefined) return { kind: "misspelled", meant };
  return wellFormed.test(name) ? undefined : { kind: "malformed" };
}

/** Names may have capitals, but then two names could be one directive, of which browsers read the first only. */
const wellFormed = /^[a-z][a-z0-9-]*$/;

function nearestTo(name: string): string | undefined {
  if (directiveNames.has(name)) return name;
  const alone = `${name}-src`;
  if (directiveNames.has(alone)) return alone;
  const squeezed = name.replaceAll("-", "");
  return [...directiveNames].find((known) => known.replaceAll("-", "") === squeezed || isOneEditFrom(name, known));
}

/** Whether one letter more, less or other, or two neighbours exchanged, make one text of the other. */
function isOneEditFrom(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  const exchanged = `${short[at + 1]}${short[at]}`;
  return exchanged === long.slice(at, at + 2) && short.slice(at + 2) === long.slice(at + 2);
}
