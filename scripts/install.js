import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs the packages of package-lock.json unless they are installed already.
 * @param {string} root
 * @returns {Promise<boolean>} whether the packages are installed now
 */
export async function ensureInstalled(root) {
  const wanted = readLock(join(root, "package-lock.json"));
  const installed = readLock(join(root, "node_modules/.package-lock.json"));
  if (isInstalled(wanted, installed, (path) => existsSync(join(root, path)))) return true;
  console.log(
    installed ? "Packages have changed; installing them again." : "Installing packages (once, about a minute).",
  );
  return await runNpmCi(root);
}

/**
 * npm writes its list of installed packages as the very last step, so an aborted installation has none. Optional
 * packages may be missing: they belong to other platforms.
 * @param {Packages | undefined} wanted
 * @param {Packages | undefined} installed
 * @param {(path: string) => boolean} exists
 */
export function isInstalled(wanted, installed, exists) {
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, { version, integrity, optional, link }]) => {
    if (link || !path.includes("node_modules/")) return true;
    const there = installed[path];
    if (!there) return optional === true;
    return there.version === version && there.integrity === integrity && exists(path);
  });
}

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, link?: boolean }>} Packages */

/**
 * @param {string} path
 * @returns {Packages | undefined}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Includes development packages explicitly: with NODE_ENV=production, npm would skip them. No package needs its install
 * script, so `ignore-scripts` works as well.
 * @param {string} root
 * @returns {Promise<boolean>}
 */
function runNpmCi(root) {
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm?.endsWith(".js") ? [process.execPath, npm] : ["npm"];
  const started = Date.now();
  // npm shows its own progress only on a terminal; in a log these lines show it.
  const signOfLife = setInterval(() => {
    if (!process.stderr.isTTY) console.log(`Still installing, ${Math.round((Date.now() - started) / 1000)} s.`);
  }, 10_000);
  return new Promise((resolve) => {
    const child = spawn(command, [...before, ...args], {
      cwd: root,
      stdio: "inherit",
      shell: process.platform === "win32" && command === "npm",
    });
    const end = (/** @type {string | undefined} */ problem) => {
      clearInterval(signOfLife);
      if (problem) console.error(`The packages could not be installed: ${problem}.`);
      resolve(problem === undefined);
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code, signal) => end(code === 0 ? undefined : `npm ci ended with ${signal ?? code}`));
  });
}
