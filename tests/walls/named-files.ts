import { existsSync } from "node:fs";
import { join } from "node:path";

const topFolders = ["src", "console", "tour", "create", "tests", "scripts", "bin", "bench", "docs", ".ci"];
const path = new RegExp(
  String.raw`\`((?:${topFolders.map((name) => name.replace(".", String.raw`\.`)).join("|")})/[^\`\s]*)\``,
  "g",
);

/**
 * Paths in backticks that begin with a folder of the repository. Those with a placeholder (`<name>`, `*`) name no
 * single file.
 */
export function filesNamedIn(text: string): string[] {
  return [...text.matchAll(path)].map((found) => found[1] ?? "").filter((named) => !/[<*{…]/.test(named));
}

export function missingFiles(root: string, text: string): string[] {
  return filesNamedIn(text).filter((named) => !existsSync(join(root, named)));
}
