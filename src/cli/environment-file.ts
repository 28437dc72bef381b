import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Loads the application's `.env`, if there is one. Variables that are already set win: the environment of a server has
 * priority.
 */
export function readEnvironmentFile(root: string): void {
  const file = join(root, ".env");
  if (existsSync(file)) process.loadEnvFile(file);
}
