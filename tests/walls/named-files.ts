import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const topFolders = ["src", "console", "tour", "create", "tests", "scripts", "bin", "bench", "docs", ".ci"];
const path = new RegExp(
  String.raw`\`((?:${topFolders.map((name) => name.replace(".", String.raw`\.`)).join("|")})/[^\`\s]*)\``,
  "g",
);

/**
 * Finds paths in backticks that begin with a folder of the repository. Those with a placeholder (`<name>`, `*`) name no
 * single file.
 */
export function filesNamedIn(text: string): string[] {
  return [...text.matchAll(path)].map((found) => found[1] ?? "").filter((named) => !/[<*{…]/.test(named));
}

export function missingFiles(root: string, text: string): string[] {
  return filesNamedIn(text).filter((named) => !existsSync(join(root, named)));
}

/** Files and folders in backticks: `limits.ts`, `envelope/`, `../limits.ts`. */
const relativePath = /`((?:[\w.-]+\/)+|(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:tsx?|js|md))`/g;

/** Files of an application, which READMEs may name. */
const ofApplications = new Set(["holdfast.config.ts"]);

/** Finds paths in a README that neither its folder nor the repository has. */
export function missingBeside(root: string, readme: string, text: string): string[] {
  const beside = [...text.matchAll(relativePath)]
    .map((found) => found[1] ?? "")
    .filter((named) => filesNamedIn(`\`${named}\``).length === 0 && !ofApplications.has(named))
    .filter((named) => !existsSync(join(root, dirname(readme), named)));
  return [...beside, ...missingFiles(root, text)].map((named) => `${readme}: ${named}`);
}
