import type { ProtocolLimits } from "./limits.ts";
import type { Reading } from "./loose-values.ts";
import { salvageJson } from "./salvage-json.ts";

export type JsonBounds = Pick<ProtocolLimits, "jsonDepth" | "jsonKeys">;

const decoder = new TextDecoder();

/** Parses a payload after checking that it is neither too deep nor too wide. */
export function readJson(bytes: Uint8Array, bounds: JsonBounds): Reading<unknown> {
  const excess = jsonExcess(bytes, bounds);
  if (excess !== undefined) return { kind: "unreadable", why: excess };
  try {
    return { kind: "read", value: JSON.parse(decoder.decode(bytes)) };
  } catch (error) {
    return { kind: "unreadable", why: `It is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export interface LenientReading {
  /** As much as can be read; undefined if the text does not even begin as JSON. */
  readonly value: unknown;
  /** The error in the text, if any. It quotes nothing, since the text may contain secrets. */
  readonly flaw?: string;
}

/** Reads a text that is kept even if it is malformed: a badly reported error is still an error. */
export function readLeniently(text: string, jsonDepth: number): LenientReading {
  try {
    return { value: JSON.parse(text) };
  } catch {
    const { value, readTo } = salvageJson(text, jsonDepth);
    const flaw =
      readTo < text.length
        ? `It is no valid JSON from character ${readTo} of ${text.length} on.`
        : "It is no valid JSON: it is cut off, or has characters that JSON forbids.";
    return { value, flaw };
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Scans the bytes once and returns which limit the payload exceeds; undefined if none. */
export function jsonExcess(bytes: Uint8Array, bounds: JsonBounds): string | undefined {
  const { jsonDepth, jsonKeys } = bounds;
  let depth = 0;
  let keys = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at + 1);
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > jsonDepth) return `It is nested more than ${jsonDepth} levels deep.`;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    } else if (byte === 0x3a) {
      keys += 1;
      if (keys > jsonKeys) return `It has more than ${jsonKeys} keys.`;
    }
  }
  return undefined;
}

function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
