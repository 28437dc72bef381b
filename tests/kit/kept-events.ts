import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/protocol/digest.ts";

/** How an error begins; traces have ids too, but no level. */
const beginOfEvent = /"event_id":"([0-9a-f]{32})","timestamp":[\d.]+,"platform":"\w+","level"/g;

/** The digests of all events that an application has on its disk now, whatever the files they lie in. */
export function keptDigests(dataFolder: string): string[] {
  const ids = new Set<string>();
  for (const entry of readdirSync(dataFolder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), "latin1");
    for (const [, id] of text.matchAll(beginOfEvent)) if (id) ids.add(id);
  }
  return [...ids].map(digestOf);
}
