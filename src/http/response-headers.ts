/**
 * Headers that the framework writes itself, each with what an application uses instead. A second value of one of them
 * would break the response, or the protection of its visitors.
 */
const owned: ReadonlyMap<string, string> = new Map([
  ...[
    "content-length",
    "content-encoding",
    "content-type",
    "content-range",
    "accept-ranges",
    "etag",
    "last-modified",
  ].map((name) => [name, "It describes the body that the framework writes. An API route writes its own."] as const),
  ...["connection", "keep-alive", "transfer-encoding", "trailer", "upgrade", "date", "x-accel-buffering"].map(
    (name) => [name, "It belongs to the connection. Leave it out."] as const,
  ),
  ["set-cookie", "Use `cookies.set`."],
  ["location", "Use `redirect`."],
  ["cache-control", "Export `cache` from the page's server file."],
  ["expires", "Export `cache` from the page's server file."],
  ["pragma", "Export `cache` from the page's server file."],
  ["age", "Caches write it. Leave it out."],
  ["content-security-policy", "Only `frame-ancestors …` can be set. Add sources by `csp` of holdfast.config.ts."],
  ["strict-transport-security", "Use `hsts` of holdfast.config.ts."],
  ["x-content-type-options", "Every response has it. Leave it out."],
  ["x-digest", "It names the error of a failed page. Leave it out."],
]);

/** Why an application may not set a header. */
export type HeaderRefusal =
  | { kind: "owned"; instead: string }
  | { kind: "name" }
  /** A line end in a value would begin another header. */
  | { kind: "value" };

export function refuseHeader(name: string, value?: string): HeaderRefusal | undefined {
  if (typeof name !== "string" || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return { kind: "name" };
  const lower = name.toLowerCase();
  if (lower === policy && value !== undefined && frameAncestors.test(value)) return undefined;
  const instead = lower.startsWith("access-control-") ? "Export `origins` from an API route." : owned.get(lower);
  if (instead !== undefined) return { kind: "owned", instead };
  return value === undefined || isHeaderValue(value) ? undefined : { kind: "value" };
}

const policy = "content-security-policy";

/** The only directive that an application sets for a path: the others have the nonce, the hashes, or are for all. */
const frameAncestors = /^frame-ancestors(?: (?:'self'|'none'|[\w*.:[\]/-]+))+$/;

/** One line of ASCII, on which browsers and proxies agree. */
export function isHeaderValue(value: string): boolean {
  return /^[!-~](?:[\t -~]*[!-~])?$/.test(value);
}

/** A header that an application sets, or removes if it has no value. */
export interface ChangedHeader {
  readonly name: string;
  readonly value: string | undefined;
}

/** Headers that an application changed, by name in lower case. */
export type ChangedHeaders = ReadonlyMap<string, ChangedHeader>;

/** Both say who may frame a page. Browsers that know both use the policy only. */
const frameRules: ReadonlyMap<string, string> = new Map([
  ["x-frame-options", "Content-Security-Policy"],
  [policy, "X-Frame-Options"],
]);

/** Adds a change. Of the two headers about frames the last one decides, so that they never contradict each other. */
export function changeHeader(changes: Map<string, ChangedHeader>, { name, value }: ChangedHeader): void {
  const lower = name.toLowerCase();
  const other = frameRules.get(lower);
  if (other !== undefined) changes.set(other.toLowerCase(), { name: other, value: undefined });
  changes.set(lower, { name, value });
}

/** Headers as a flat list, with those that an application changed in place of the defaults. */
export function withChanges(defaults: readonly string[], changes: ChangedHeaders): string[] {
  const headers: string[] = [];
  for (const [name, value] of pairsOf(defaults)) if (!changes.has(name.toLowerCase())) headers.push(name, value);
  for (const { name, value } of changes.values()) if (value !== undefined) headers.push(name, value);
  return headers;
}

export function* pairsOf(flat: readonly string[]): Generator<readonly [name: string, value: string]> {
  for (let at = 0; at < flat.length; at += 2) yield [flat[at] ?? "", flat[at + 1] ?? ""];
}
