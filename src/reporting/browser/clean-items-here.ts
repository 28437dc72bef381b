import type { JsonObject } from "#protocol";
import { readPattern } from "../pattern-text.ts";
import { createScrub, type Scrub } from "../scrub/scrub.ts";
import { scrubReport } from "../scrub/scrub-report.ts";
import { earlyErrors } from "./relay.ts";

let scrub: Scrub | undefined;

/** Takes the lines of an envelope after its first, as this client and the first script of a document write them. */
export function cleanItemsHere(items: string): string {
  const { scrub: rules = [], keepAddresses = false } = earlyErrors?.settings ?? {};
  scrub ??= createScrub({ rules: rules.map(readPattern), keepAddresses });
  let clean = "";
  const lines = items.split("\n").filter((line) => line !== "");
  for (let at = 0; at + 1 < lines.length; at += 2) {
    // Without a length, the payload extends to the end of its line.
    const { length: _, ...header } = objectIn(lines[at]);
    clean += `\n${JSON.stringify(header)}\n${JSON.stringify(scrubReport(objectIn(lines[at + 1]), scrub))}`;
  }
  return `${clean}\n`;
}

function objectIn(line = "{}"): JsonObject {
  return JSON.parse(line);
}
