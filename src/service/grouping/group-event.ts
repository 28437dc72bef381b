import { hash } from "node:crypto";
import type { ReportedEvent } from "#protocol";
import { type Reason, reasonV1 } from "./v1.ts";

export interface Fingerprint {
  version: number;
  /** 32 hexadecimal characters. */
  hash: string;
  reason: Reason;
}

interface GroupingVersion {
  version: number;
  reasonOf: (event: ReportedEvent) => Reason;
}

/** Newest first. A version is never removed: its fingerprints still identify existing issues. */
const versions: readonly GroupingVersion[] = [{ version: 1, reasonOf: reasonV1 }];

/** Fingerprints of an event, newest version first. The store uses the first known one. */
export type Grouping = readonly [Fingerprint, ...Fingerprint[]];

/**
 * Groups by the newest version, and also returns the fingerprints of older ones. An event with a known older
 * fingerprint stays in its issue, so that a new version never splits a triaged issue.
 */
export function groupEvent(event: ReportedEvent, known: readonly GroupingVersion[] = versions): Grouping {
  const [first, ...rest] = known.map(({ version, reasonOf }) => fingerprintOf(version, reasonOf(event)));
  if (first === undefined) throw new RangeError("Grouping needs at least one version.");
  return [first, ...rest];
}

function fingerprintOf(version: number, reason: Reason): Fingerprint {
  const text = [`v${version}`, reason.rule, ...reason.parts].join("\n");
  return { version, hash: hash("sha1", text).slice(0, 32), reason };
}
