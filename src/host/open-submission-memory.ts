import path from "node:path";
import { SubmissionMemory } from "#pages";
import type { HoldfastConfig } from "./config.ts";
import { openSubmissionDb, type SubmissionDb } from "./submission-db.ts";

export interface OpenMemory {
  memory: SubmissionMemory;
  close(): void;
}

interface MemoryDeps {
  dataFolder: string;
  sealKey: Uint8Array;
  /**
   * Whether the seal key was given by the environment: then other machines may have it too, and answer for the same
   * address.
   */
  isKeyGiven: boolean;
  say: (sentence: string) => void;
}

/** The memory of submissions in the data folder. An application whose folder cannot be written works without one. */
export function openSubmissionMemory({ submissions }: HoldfastConfig, deps: MemoryDeps): OpenMemory {
  const { dataFolder, sealKey, isKeyGiven, say } = deps;
  const setting = submissions?.memory ?? (isKeyGiven ? "local" : "shared");
  let store: SubmissionDb | undefined;
  try {
    if (setting !== "off") store = openSubmissionDb(path.join(dataFolder, "submissions.db"));
  } catch (error) {
    say(`Forms are not remembered, so that one that is sent twice runs twice: ${error}`);
  }
  const reach = setting === "shared" ? "shared" : "local";
  return { memory: new SubmissionMemory({ store, reach, sealKey }), close: () => store?.close() };
}
