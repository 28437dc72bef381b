import {
  type ChangedHeader,
  type ChangedHeaders,
  changeHeader,
  constantHeaders,
  isHeaderValue,
  pairsOf,
  refuseHeader,
} from "#http";
import type { HeaderSettings } from "./settings.ts";

/** The headers that the settings change for a path; undefined if they change none. */
export type HeadersFor = (path: string) => ChangedHeaders | undefined;

/** Sent by default with browser files only. */
export const resourcePolicy: readonly [name: string, value: string] = ["Cross-Origin-Resource-Policy", "same-origin"];

const cacheControl = "cache-control";

/** `*` is a part of one segment, `/**` at the end the path itself and everything below it. */
const pattern = /^(?:\/(?!\*\*)[!-.0-~]*)*(?:\/\*\*)?$/;

/** What is wrong with the settings, one text for each. */
export function problemsOfHeaders(settings: unknown): string[] {
  if (!isRecord(settings)) return [shape];
  return Object.entries(settings).flatMap(([path, headers]) => {
    const name = `headers[${JSON.stringify(path)}]`;
    if (!isPattern(path)) return [`${name} is no pattern such as /**, /embed/** or /fonts/*.woff2`];
    if (!isRecord(headers)) return [shape];
    return Object.entries(headers).flatMap(([header, value]) => {
      const problem = problemOf(header, value);
      return problem === undefined ? [] : [`${name}[${JSON.stringify(header)}] ${problem}`];
    });
  });
}

const shape = 'headers must list headers by path: { "/embed/**": { "X-Frame-Options": false } }';

function isPattern(path: string): boolean {
  const hasOneStar = path.split("/").every((segment) => segment === "**" || segment.split("*").length <= 2);
  return path !== "" && pattern.test(path) && hasOneStar && !/[?#\\]|\/\/|.\/$/.test(path);
}

function problemOf(header: string, value: unknown): string | undefined {
  if (value !== false && (typeof value !== "string" || !isHeaderValue(value)))
    return "must be false, or a text in ASCII characters on one line";
  const refused = header.toLowerCase() === cacheControl ? undefined : refuseHeader(header, value || undefined);
  if (refused?.kind === "owned") return `is written by the framework itself. ${refused.instead}`.replace(/\.$/, "");
  return refused ? "is not the name of a header" : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Cache-Control` of the settings is for files: pages declare theirs, because a cached page has no nonce. */
export function createHeaderRules(settings: HeaderSettings = {}, of: "pages" | "files"): HeadersFor | undefined {
  const rules = Object.entries(settings)
    .map(([path, headers]) => ({ matches: expressionOf(path), changes: changesOf(headers, of) }))
    .filter(({ changes }) => changes.size > 0);
  if (rules.length === 0) return undefined;
  return (path) => {
    const [first, ...more] = rules.filter(({ matches }) => matches.test(path));
    if (more.length === 0) return first?.changes;
    return new Map([...(first?.changes ?? []), ...more.flatMap(({ changes }) => [...changes])]);
  };
}

/**
 * The headers of files. A CDN gets them here, and pages of this application get them there: another origin must be
 * allowed to use them.
 */
export function createFileHeaders({ headers, assets }: FileSettings): HeadersFor | undefined {
  const rules = createHeaderRules(headers, "files");
  return assets === undefined ? rules : (path) => new Map([...usableElsewhere, ...(rules?.(path) ?? [])]);
}

export interface FileSettings {
  headers?: HeaderSettings;
  assets?: string | undefined;
}

const usableElsewhere: ChangedHeaders = new Map(
  [
    { name: "Access-Control-Allow-Origin", value: "*" },
    { name: resourcePolicy[0], value: "cross-origin" },
  ].map((header) => [header.name.toLowerCase(), header]),
);

function changesOf(headers: HeaderSettings[string], of: "pages" | "files"): ChangedHeaders {
  const changes = new Map<string, ChangedHeader>();
  for (const [name, value] of Object.entries(headers)) changeHeader(changes, { name, value: value || undefined });
  if (of === "pages") changes.delete(cacheControl);
  return changes;
}

function expressionOf(path: string): RegExp {
  const isBelow = path.endsWith("/**");
  const base = isBelow ? path.slice(0, -3) : path;
  const text = base.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
  return new RegExp(`^${text}${isBelow ? "(?:/.*)?" : ""}$`);
}

/** What a browser assumes without the header, and the rule that each page's policy has. */
const assumed: readonly (readonly [name: string, value: string])[] = [
  ["Cross-Origin-Embedder-Policy", "unsafe-none"],
  ["Content-Security-Policy", "frame-ancestors 'self'"],
];

/** One sentence for each default that the settings change. */
export function changedDefaults(settings: HeaderSettings = {}): string[] {
  const defaults = new Map(
    [...pairsOf(constantHeaders), resourcePolicy, ...assumed].map(([name, value]) => [name.toLowerCase(), value]),
  );
  return Object.entries(settings).flatMap(([path, headers]) =>
    Object.entries(headers).flatMap(([name, value]) => {
      const usual = defaults.get(name.toLowerCase());
      if (usual === undefined || usual === value) return [];
      return [`${path}: ${name} is ${value === false ? "removed" : value}, by default ${usual}`];
    }),
  );
}
