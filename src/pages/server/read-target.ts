import type { IncomingMessage } from "node:http";
import { type BadPath, canonicalPath } from "#routes";
import { actionMarker, outcomeSuffix, pageDataSuffix } from "../page-data.ts";

/** The target of a request. Only the address decides the variant, never a header. */
export type RequestTarget =
  | { kind: "page"; variant: "document" | "data"; path: string; search: string }
  | { kind: "action"; variant: "document" | "data"; path: string; search: string; action: string }
  /** Asks for the outcome of a submission. */
  | { kind: "outcome"; variant: "data"; path: string; search: string; action: string }
  | { kind: "redirect"; to: string }
  | { kind: "bad"; why: BadPath | "bad-host" };

export function readTarget(incoming: IncomingMessage): RequestTarget {
  if (!isPlainHost(incoming.headers.host)) return { kind: "bad", why: "bad-host" };
  const canonical = canonicalPath(incoming.url ?? "");
  if (canonical.kind !== "canonical") return canonical;
  const { search } = canonical;
  const isData = canonical.path.endsWith(pageDataSuffix);
  const path = isData ? canonical.path.slice(0, -pageDataSuffix.length) || "/" : canonical.path;
  const variant = isData ? "data" : "document";
  const marker = path.lastIndexOf(actionMarker);
  if (marker < 0) return { kind: "page", variant, path, search };
  const name = decodeURIComponent(path.slice(marker + actionMarker.length));
  const page = { path: path.slice(0, marker) || "/", search };
  if (!isData && name.endsWith(outcomeSuffix))
    return { kind: "outcome", variant: "data", ...page, action: name.slice(0, -outcomeSuffix.length) };
  return { kind: "action", variant, ...page, action: name };
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
