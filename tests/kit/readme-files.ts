import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/root.js";

/** The files in the README's instructions: a path in backticks and a colon, then the code. */
export function readmeFiles(): Record<string, string> {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const found = readme.matchAll(/`([\w./[\]-]+)`:\n\n```\w+\n([\s\S]*?)```/g);
  return Object.fromEntries([...found].map(([, path = "", code = ""]) => [path, code]));
}
