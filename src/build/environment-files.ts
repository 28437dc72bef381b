import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Files with variables in an application's folder, the most special first: of this machine and mode, of the mode, of
 * this machine, of all. Vite has the same order.
 */
export function environmentFiles(mode: string): readonly string[] {
  return [`.env.${mode}.local`, `.env.${mode}`, ".env.local", ".env"];
}

/**
 * Loads the variables of an application's files. The mode is `NODE_ENV`, or else what the command is for. Variables
 * that are already set win: the environment of a server has priority, and a special file before a general one.
 */
export function readEnvironmentFiles(folder: string, commandMode: "development" | "production"): void {
  const { NODE_ENV: set = "" } = process.env;
  for (const name of environmentFiles(set === "" ? commandMode : set)) {
    const file = join(folder, name);
    if (existsSync(file)) process.loadEnvFile(file);
  }
}
