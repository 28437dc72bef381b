import { unpack } from "../bodies/packing.ts";
import type { LogLine } from "../filed.ts";

export function linesOf(packed: Uint8Array): LogLine[] {
  const content = unpack(packed);
  // Validated when it was filed. The checksum proves that it is unchanged.
  return content === undefined ? [] : (JSON.parse(content.toString("utf8")) as LogLine[]);
}
