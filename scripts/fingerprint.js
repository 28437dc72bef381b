import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./root.js";

const notSources = new Set(["node_modules", "dist", ".holdfast"]);

/**
 * Returns a hash that changes when any of these files or folders changes. Uses sizes and times, which takes some
 * milliseconds for the whole repository.
 * @param {string[]} paths relative to the repository; missing ones count as empty
 */
export function fingerprint(paths) {
  const hash = createHash("sha256");
  for (const path of paths) addTo(hash, join(root, path));
  return hash.digest("hex");
}

/**
 * @param {import("node:crypto").Hash} hash
 * @param {string} path
 */
function addTo(hash, path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
    return;
  }
  for (const name of readdirSync(path).sort()) if (!notSources.has(name)) addTo(hash, join(path, name));
}

/**
 * Fingerprint of the sources of the last build, stored between runs.
 * @param {string} name
 */
export function rememberedFingerprint(name) {
  const file = join(root, "node_modules/.cache/holdfast", `${name}.fingerprint`);
  return {
    /** @param {string} current */
    matches(current) {
      return statSync(file, { throwIfNoEntry: false }) !== undefined && readFileSync(file, "utf8") === current;
    },
    /** @param {string} current */
    remember(current) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, current);
    },
    forget() {
      rmSync(file, { force: true });
    },
  };
}
