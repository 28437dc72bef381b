import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Variables of the application's `.env`, where it has one. What is set already stays as it is: a server's own
 * environment is the last word.
 */
export function readEnvironmentFile(root: string): void {
  const file = join(root, ".env");
  if (existsSync(file)) process.loadEnvFile(file);
}
