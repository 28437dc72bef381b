import type { IncomingMessage } from "node:http";
import { type BadPath, canonicalPath, canonicalSlashed, spellAddress } from "#routes";
import { actionMarker, keysMarker, outcomeSuffix, pageDataSuffix } from "../page-data.ts";

/** The target of a request. Only the address decides the variant, never a header. */
export type RequestTarget =
  | ({ kind: "page"; variant: "document" | "data" } & Place & WithKeys)
  | ({ kind: "action"; variant: "document" | "data"; action: string } & Place & WithKeys)
  /** Asks for the outcome of a submission. */
  | ({ kind: "outcome"; variant: "data"; action: string } & Place)
  | { kind: "redirect"; to: string }
  | { kind: "bad"; why: BadPath | "bad-host" };

interface Place {
  path: string;
  search: string;
  /** The path as visitors see it, where it may end with a slash. */
  address?: string;
}

interface WithKeys {
  /** Keys of the loads whose data the browser has; empty for the others. */
  keys?: readonly string[];
}

/** The data of loads that a browser has. */
export interface KnownLoads {
  /** Parallel to the loads of the route. */
  keys: readonly string[];
  /** Tags and paths that this request has changed. */
  changed: readonly string[];
}

/** A request for a route. */
export type PageTarget = Extract<RequestTarget, { kind: "page" | "action" | "outcome" }>;

/** `slashed`: whether addresses of pages end with a slash. */
export function readTarget(incoming: Pick<IncomingMessage, "headers" | "url">, slashed = false): RequestTarget {
  if (!isPlainHost(incoming.headers.host)) return { kind: "bad", why: "bad-host" };
  const canonical = slashed ? canonicalSlashed(incoming.url ?? "") : canonicalPath(incoming.url ?? "");
  if (canonical.kind !== "canonical") return canonical;
  const { search } = canonical;
  const isData = canonical.path.endsWith(pageDataSuffix);
  const { path, ...known } = isData ? readKeys(canonical.path.slice(0, -pageDataSuffix.length)) : canonical;
  const variant = isData ? "data" : "document";
  const marker = path.lastIndexOf(actionMarker);
  if (marker < 0)
    return { kind: "page", variant, path, search, ...addressOf(canonical, path, isData), ...keysOf(known) };
  const name = decodeURIComponent(path.slice(marker + actionMarker.length));
  const pagePath = path.slice(0, marker) || "/";
  const page = { path: pagePath, search, ...(slashed ? { address: spellAddress(pagePath) } : {}) };
  if (!isData && name.endsWith(outcomeSuffix))
    return { kind: "outcome", variant: "data", ...page, action: name.slice(0, -outcomeSuffix.length) };
  return { kind: "action", variant, ...page, action: name, ...keysOf(known) };
}

/** What is not written like a list of keys stays a part of the path. */
function readKeys(path: string): { path: string; keys?: readonly string[] } {
  const marker = path.lastIndexOf(keysMarker);
  const text = marker < 0 ? "/" : path.slice(marker + keysMarker.length);
  return text.includes("/") ? { path: path || "/" } : { path: path.slice(0, marker) || "/", keys: text.split("~") };
}

function keysOf(known: object): WithKeys {
  return "keys" in known ? (known as WithKeys) : {};
}

/** Page data has no slash at its end, and belongs to a page in its one spelling. */
function addressOf(canonical: object, path: string, isData: boolean): { address?: string } {
  if (!("address" in canonical)) return {};
  return { address: isData ? spellAddress(path) : String(canonical.address) };
}

/** Other characters in a host (`x/abc?bar=`) have changed the parsed path in other servers. */
const plainHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Nearly every request has the same host as the previous one. */
let lastGood: string | undefined;

function isPlainHost(host: string | undefined): boolean {
  if (host === undefined) return false;
  if (host === lastGood) return true;
  if (!plainHost.test(host) || !URL.canParse(`http://${host}`)) return false;
  lastGood = host;
  return true;
}
