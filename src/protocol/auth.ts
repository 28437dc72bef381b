import { readDsn } from "./dsn.ts";

/** Credentials in the headers and the address of a request. */
export type Credentials =
  | { kind: "key"; publicKey: string; client?: string }
  | { kind: "none" }
  /** Two different keys in one request are ambiguous. */
  | { kind: "contradictory" };

export interface AuthSources {
  /** `X-Sentry-Auth`. */
  readonly sentryAuth?: string | undefined;
  readonly authorization?: string | undefined;
  /** The part of the address after `?`. */
  readonly query?: string | undefined;
}

export function readCredentials(sources: AuthSources): Credentials {
  const found = [
    fromHeader(sources.sentryAuth),
    fromHeader(sources.authorization),
    fromBasic(sources.authorization),
    fromQuery(sources.query),
  ].filter((key) => key !== undefined);
  const [first] = found;
  if (first === undefined) return { kind: "none" };
  if (found.some((other) => other.publicKey !== first.publicKey)) return { kind: "contradictory" };
  return { kind: "key", ...first };
}

/** Reads the key from the `dsn` of an envelope header, the only credential that a tunnel forwards. */
export function keyOfDsn(dsn: string): { publicKey: string; project: string } | undefined {
  const read = readDsn(dsn);
  return read === undefined ? undefined : { publicKey: read.publicKey, project: read.project };
}

interface Found {
  publicKey: string;
  client?: string;
}

/** Reads `Sentry sentry_key=…, sentry_client=…`; some clients separate by spaces only and quote the values. */
function fromHeader(header: string | undefined): Found | undefined {
  if (header === undefined || header.length > 2_048 || !/^sentry\s/i.test(header)) return undefined;
  const fields = new Map<string, string>();
  for (const field of header.slice(7).split(/[,\s]+/)) {
    const equals = field.indexOf("=");
    if (equals > 0) fields.set(field.slice(0, equals).toLowerCase(), unquoted(field.slice(equals + 1)));
  }
  return foundOf(fields.get("sentry_key"), fields.get("sentry_client"));
}

function fromBasic(header: string | undefined): Found | undefined {
  if (header === undefined || header.length > 2_048 || !/^basic\s/i.test(header)) return undefined;
  try {
    return foundOf(atob(header.slice(6).trim()).split(":")[0], undefined);
  } catch {
    // Not base64, so no key.
    return undefined;
  }
}

/**
 * Reads the query with expressions: clients never encode keys and names, and parsing it whole would cost time in each
 * request.
 */
function fromQuery(query: string | undefined): Found | undefined {
  const key = query === undefined ? undefined : /(?:^|&)sentry_key=([^&]*)/.exec(query)?.[1];
  return foundOf(key, query === undefined ? undefined : /(?:^|&)sentry_client=([^&]*)/.exec(query)?.[1]);
}

function foundOf(key: string | undefined, client: string | undefined): Found | undefined {
  // Old keys have the form public:secret; the secret is obsolete.
  const publicKey = key?.split(":")[0]?.toLowerCase();
  if (publicKey === undefined || !/^\w{1,64}$/.test(publicKey)) return undefined;
  return client === undefined ? { publicKey } : { publicKey, client: client.slice(0, 200) };
}

function unquoted(text: string): string {
  return text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text;
}
