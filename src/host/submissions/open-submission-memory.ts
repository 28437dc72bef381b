import path from "node:path";
import { SubmissionMemory } from "#pages";
import type { HoldfastConfig } from "../settings.ts";
import { openSubmissionDb, type SubmissionDb } from "./submission-db.ts";

export interface OpenMemory {
  memory: SubmissionMemory;
  close(): void;
}

interface MemoryDeps {
  dataFolder: string;
  sealKey: Uint8Array;
  /** Whether the environment provides the seal key: other machines may then share it and serve the same address. */
  isKeyGiven: boolean;
  warn: (sentence: string) => void;
}

/**
 * Opens the memory of submissions in the data folder. If the folder is not writable, the application runs without it.
 */
export function openSubmissionMemory({ submissions }: HoldfastConfig, deps: MemoryDeps): OpenMemory {
  const { dataFolder, sealKey, isKeyGiven, warn } = deps;
  const setting = submissions?.memory ?? (isKeyGiven ? "local" : "shared");
  let store: SubmissionDb | undefined;
  try {
    if (setting !== "off") store = openSubmissionDb(path.join(dataFolder, "submissions.db"));
  } catch (error) {
    warn(`Forms are not remembered, so that one that is sent twice runs twice: ${error}`);
  }
  const reach = setting === "shared" ? "shared" : "local";
  return { memory: new SubmissionMemory({ store, reach, sealKey }), close: () => store?.close() };
}
