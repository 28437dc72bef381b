import type { IncomingMessage } from "node:http";
import { type BadPath, canonicalPath } from "#routes";
import { actionMarker, outcomeSuffix, pageDataSuffix } from "../page-data.ts";

/** What a request asks for. The variant is chosen by the address alone, never by a header. */
export type RequestTarget =
  | { kind: "page"; variant: "document" | "data"; path: string; search: string }
  | { kind: "action"; variant: "document" | "data"; path: string; search: string; action: string }
  /** Asks what became of a submission. */
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

/** A host with anything else in it (`x/abc?bar=`) once moved the path of other servers. */
const plainHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Nearly every request names the same host as the last one. */
let lastGood: string | undefined;

function isPlainHost(host: string | undefined): boolean {
  if (host === undefined) return false;
  if (host === lastGood) return true;
  if (!plainHost.test(host) || !URL.canParse(`http://${host}`)) return false;
  lastGood = host;
  return true;
}
