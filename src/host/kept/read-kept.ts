import { existsSync } from "node:fs";
import path from "node:path";
import { SubmissionMemory } from "#pages";
import { createScrub } from "#reporting";
import { silentServerSignals } from "#signals";
import { readConfig } from "../config.ts";
import { sealKeyOf } from "../submissions/seal-key.ts";
import { createKeptOperations, type KeptOperations } from "./kept-operations.ts";
import { openKept } from "./open-kept.ts";

export interface ReadKept extends Pick<KeptOperations, "list" | "show"> {
  close(): Promise<void>;
}

/** Opens what is kept for reading, without the application. Undefined if nothing was ever kept. */
export async function readKept(root: string, dataFolder: string): Promise<ReadKept | undefined> {
  if (!existsSync(path.join(dataFolder, "kept"))) return undefined;
  const config = await readConfig(root);
  const sealKey = sealKeyOf(dataFolder);
  const memory = new SubmissionMemory({ store: undefined, reach: "local", sealKey });
  const signals = silentServerSignals;
  const { kept, close } = openKept(config, { dataFolder, sealKey, memory, signals, warn: () => undefined });
  const scrub = createScrub({ rules: config.report?.scrub ?? [], keepAddresses: config.report?.sendDefaults ?? false });
  const { list, show } = createKeptOperations({ kept, runner: undefined, hide: scrub.value });
  return { list, show, close };
}
