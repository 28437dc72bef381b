import { globSync } from "node:fs";
import path from "node:path";
import { envelopesIn } from "./queued-envelopes.ts";

/** Reads all envelopes that wait in an outbox, of this process or an earlier one, without changing it. */
export function readOutbox(folder: string): Uint8Array[] {
  return globSync("*/*.spool", { cwd: folder })
    .sort()
    .flatMap((file) => envelopesIn(path.join(folder, file)));
}
