import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/protocol/digest.ts";

/** How an error begins; traces have ids too, but no level. */
const beginOfEvent = /"event_id":"([0-9a-f]{32})","timestamp":[\d.]+,"platform":"\w+","level"/g;

/** A process that stood still says so. On a loaded machine any does: it is nothing that the test has caused. */
const stall = '"auto.holdfast.stall"';

/** The digests of all events that an application has on its disk now, whatever the files they lie in; no stalls. */
export function keptDigests(dataFolder: string): string[] {
  for (;;) {
    const ids = new Set<string>();
    const stalls = new Set<string>();
    try {
      for (const entry of readdirSync(dataFolder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const text = readFileSync(join(entry.parentPath, entry.name), "latin1");
        for (const { 1: id = "", index } of text.matchAll(beginOfEvent)) {
          ids.add(id);
          const [event = ""] = text.slice(index).split("\n", 1);
          if (event.includes(stall)) stalls.add(id);
        }
      }
      return [...ids].filter((id) => !stalls.has(id)).map(digestOf);
    } catch (error) {
      // A file was delivered while we read: what was in it is in another one now, perhaps one that we have read before.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
}
