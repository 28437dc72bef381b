import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Content of a folder that counts as empty, for example after `git init`. */
const noContent = [".git", ".DS_Store"];

/**
 * Returns a sentence if an application cannot be written to this folder without overwriting files.
 * @param {string} folder
 */
export function whyNotInto(folder) {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isDirectory()) return `${folder} is a file; name a folder that is empty or not there yet.`;
  const [first] = readdirSync(folder).filter((name) => !noContent.includes(name));
  if (first === undefined) return undefined;
  return `${folder} is not empty: it has "${first}" in it. Name a folder that is empty or not there yet.`;
}

/**
 * @param {string} folder
 * @param {ReadonlyMap<string, Buffer | string>} files
 */
export function writeFiles(folder, files) {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
