import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {import("./command-line.js").Wishes} Wishes */

const template = fileURLToPath(new URL("../template", import.meta.url));

/**
 * Returns the files of the new application by path: those of `template/base`, then those of each extra. A
 * `package.json` is merged with the previous one; every other file replaces it.
 * @param {Wishes} wishes
 * @returns {Map<string, Buffer | string>}
 */
export function starterFiles(wishes) {
  /** @type {Map<string, Buffer | string>} */
  const files = new Map();
  /** @type {Package} */
  let description = { name: packageName(wishes.folder) };
  for (const [path, content] of ["base", ...wishes.extras].flatMap(filesOf)) {
    if (path === "package.json") description = added(description, JSON.parse(content.toString()));
    else files.set(path, content);
  }
  description = added(description, { dependencies: { holdfast: wishes.holdfast } });
  return files.set("package.json", `${JSON.stringify(description, null, 2)}\n`);
}

/**
 * @param {string} layer
 * @returns {[path: string, content: Buffer][]}
 */
function filesOf(layer) {
  const folder = join(template, layer);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [nameInApplication(relative(folder, file).replaceAll("\\", "/")), readFileSync(file)];
    });
}

/**
 * npm leaves `.gitignore` out of packages, so the template has such files as `dot-gitignore`.
 * @param {string} path
 */
function nameInApplication(path) {
  return path.replace(/(?<=^|\/)dot-/, ".");
}

/** @typedef {Record<string, unknown>} Package */

/**
 * @param {Package} description
 * @param {Package} more
 * @returns {Package}
 */
function added(description, more) {
  const merged = Object.entries(more).map(([key, value]) => {
    const before = description[key];
    return [key, isObject(before) && isObject(value) ? sorted({ ...before, ...value }) : value];
  });
  return { ...description, ...Object.fromEntries(merged) };
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** @param {Package} object */
function sorted(object) {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Turns the folder's name into a valid package name.
 * @param {string} folder
 */
export function packageName(folder) {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name || "holdfast-app";
}
