import { messageOf } from "#errors";
import type { Scrubber } from "./scrub.ts";

/** Removes the secrets of an envelope, line by line. A line that is not JSON is scrubbed as text. */
export function cleanEnvelope(bytes: Uint8Array, scrubber: Scrubber): Uint8Array {
  try {
    const lines = Buffer.from(bytes).toString("utf8").split("\n");
    return Buffer.from(lines.map((line) => cleanLine(line, scrubber)).join("\n"));
  } catch (error) {
    // Data that cannot be scrubbed is not kept.
    const why = messageOf(error);
    return Buffer.from(`${bytes.length} bytes that cannot be scrubbed: ${why}\n`);
  }
}

function cleanLine(line: string, scrubber: Scrubber): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return scrubber.text(line);
  }
  return JSON.stringify(scrubber.value(value));
}
