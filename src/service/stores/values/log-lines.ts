import { unpack } from "../bodies/packing.ts";
import type { LogLine } from "../filed.ts";
import type { LogQuery } from "../store-requests.ts";

export function linesOf(packed: Uint8Array): LogLine[] {
  const content = unpack(packed);
  // Validated when it was filed. The checksum proves that it is unchanged.
  return content === undefined ? [] : (JSON.parse(content.toString("utf8")) as LogLine[]);
}

/** Returns a filter for the lines of a query. */
export function logFilter({ text = "", levels, from, to }: LogQuery): (line: LogLine) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (line) => {
    if (line.at < from || line.at > to) return false;
    if (levels && !levels.includes(line.level)) return false;
    const body = line.body.toLowerCase();
    return words.every((word) => body.includes(word));
  };
}
