import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/protocol/digest.ts";

/** The start of an error event; traces have ids too, but no level. */
const beginOfEvent = /"event_id":"([0-9a-f]{32})","timestamp":[\d.]+,"platform":"\w+","level"/g;

/** Reported when a process was blocked. On a loaded machine any process may be: the test did not cause it. */
const stall = '"auto.holdfast.stall"';

/** The digests of all events on the application's disk, in any file, without stalls. */
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
      // A file was delivered while we read: its content is now in another file, perhaps one that we have already read.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
}
