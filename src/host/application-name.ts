import { readFileSync } from "node:fs";
import path from "node:path";

/** Two applications may share a database; each has its own files and schedules. */
export function applicationName(root: string): string {
  try {
    const { name }: { name?: unknown } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    if (typeof name === "string" && name !== "") return name;
  } catch {
    // A build can be deployed without it.
  }
  return "application";
}
