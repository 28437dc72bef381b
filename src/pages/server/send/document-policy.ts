import { constantHeaders, pairsOf } from "#http";
import { tagOf } from "../author/cookies.ts";

/** Headers that a browser applies to a document as long as it lives, whichever pages are shown in it. */
const ofDocument: ReadonlySet<string> = new Set([
  "content-security-policy",
  "content-security-policy-report-only",
  "cross-origin-embedder-policy",
  "cross-origin-opener-policy",
  "document-policy",
  "origin-agent-cluster",
  "permissions-policy",
  "referrer-policy",
  "x-frame-options",
]);

export function isOfDocument(name: string): boolean {
  return ofDocument.has(name.toLowerCase());
}

const defaults = ofDocumentIn(constantHeaders);

function ofDocumentIn(headers: readonly string[]): ReadonlyMap<string, string> {
  const found = [...pairsOf(headers)].map(([name, value]) => [name.toLowerCase(), value] as const);
  return new Map(found.filter(([name]) => ofDocument.has(name)));
}

/**
 * Differs between pages that need documents of their own, because these headers differ. Empty for the defaults. The
 * browser compares it: a soft navigation cannot change the policy of the document it happens in.
 */
export function documentPolicyOf(headers: readonly string[]): string {
  if (headers === constantHeaders) return "";
  const own = ofDocumentIn(headers);
  const changed = [...ofDocument].filter((name) => own.get(name) !== defaults.get(name));
  return tagOf(changed.map((name) => [name, own.get(name) ?? ""]));
}

/**
 * Adds the policy to the headers. `X-Frame-Options` decides over `frame-ancestors` too, because browsers that know both
 * use the policy only; a `frame-ancestors` of the application replaces that of the policy.
 */
export function withPolicy(headers: readonly string[], csp: string): string[] {
  if (headers === constantHeaders) return [...headers, policy, csp];
  const own = ofDocumentIn(headers);
  const rule = frameRuleOf(own);
  const others = own.has(policy.toLowerCase())
    ? [...pairsOf(headers)].filter(([name]) => !isPolicy(name)).flat()
    : headers;
  return [...others, policy, rule === "as configured" ? csp : csp.replace(frameAncestors, () => rule)];
}

function frameRuleOf(own: ReadonlyMap<string, string>): string {
  const ancestors = own.get(policy.toLowerCase());
  if (ancestors !== undefined) return `; ${ancestors}`;
  const options = own.get("x-frame-options")?.toUpperCase();
  if (options === undefined) return "";
  return options === "DENY" ? "; frame-ancestors 'none'" : "as configured";
}

const policy = "Content-Security-Policy";
const frameAncestors = /; frame-ancestors [^;]*/;

function isPolicy(name: string): boolean {
  return name.toLowerCase() === policy.toLowerCase();
}
