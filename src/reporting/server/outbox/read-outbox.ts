import { globSync } from "node:fs";
import path from "node:path";
import { envelopesIn } from "./queued-envelopes.ts";

/** All envelopes that wait in an outbox, whoever left them there. Reads only; for looking at what an application has kept. */
export function readOutbox(folder: string): Uint8Array[] {
  return globSync("*/*.spool", { cwd: folder })
    .sort()
    .flatMap((file) => envelopesIn(path.join(folder, file)));
}
