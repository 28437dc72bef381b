import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/protocol/digest.ts";

/** How an error begins; traces have ids too, but no level. */
const beginOfEvent = /"event_id":"([0-9a-f]{32})","timestamp":[\d.]+,"platform":"\w+","level"/g;

/** The digests of all events that an application has on its disk now, whatever the files they lie in. */
export function keptDigests(dataFolder: string): string[] {
  for (;;) {
    const ids = new Set<string>();
    try {
      for (const entry of readdirSync(dataFolder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const text = readFileSync(join(entry.parentPath, entry.name), "latin1");
        for (const [, id] of text.matchAll(beginOfEvent)) if (id) ids.add(id);
      }
      return [...ids].map(digestOf);
    } catch (error) {
      // A file was delivered while we read: what was in it is in another one now, perhaps one that we have read before.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
}
