import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Installs programs for the tests, as root on Debian; elsewhere it does nothing.
 * @param {string[]} packages
 * @returns {boolean} whether they are installed now
 */
export function installOnDebian(...packages) {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return false;
  console.log(`Installing Debian's ${packages.join(" and ")} for the tests (once).`);
  const apt = (/** @type {string[]} */ ...args) =>
    spawnSync("apt-get", args, { stdio: "inherit", env: environmentForApt(process.env) }).status === 0;
  // Two test files may come here at once: the second waits for the first.
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  apt("update", "-qq");
  return apt("install", ...wait, "-y", "-qq", "--no-install-recommends", ...packages);
}

/**
 * How a person installs a package where the tests may not.
 * @param {string} name
 * @param {string} debianPackage
 */
export function howToInstall(name, debianPackage) {
  return existsSync("/etc/debian_version") ? `run \`apt-get install ${debianPackage}\` as root` : `install ${name}`;
}

/**
 * npm reads a proxy in upper and in lower case, apt in lower case alone. A machine that names it once reaches both.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentForApt(environment) {
  const lowerCase = Object.fromEntries(
    ["http_proxy", "https_proxy", "no_proxy"]
      .map((name) => [name, environment[name] ?? environment[name.toUpperCase()]])
      .filter(([, value]) => value !== undefined),
  );
  return { ...environment, ...lowerCase, DEBIAN_FRONTEND: "noninteractive" };
}
