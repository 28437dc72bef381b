import { existsSync } from "node:fs";
import {
  headlessShell,
  isProgram,
  playwrightChromium,
  systemChromium,
  withWindows,
} from "../src/cli/chaos/chromium-paths.js";
import { installOnDebian } from "./debian-packages.js";

const debianPackages = ["chromium", headlessShell];

/**
 * Finds a Chromium for the tests: the one named by CHROMIUM_PATH, the system's, Playwright's, or (as root on Debian)
 * Debian's packages, which it installs.
 * @returns {{ kind: "found", path: string } | { kind: "missing", why: string }}
 */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named)
    return isProgram(named)
      ? { kind: "found", path: named }
      : missing(`CHROMIUM_PATH is ${named}, and there is no program of that name`);
  const path = systemChromium() ?? playwrightChromium() ?? debianChromium();
  return path ? { kind: "found", path } : missing("No Chromium was found");
}

/**
 * Finds a Chromium with windows, because the headless shell lacks the back/forward cache.
 * @returns {ReturnType<typeof findChromium>}
 */
export function findChromiumWithWindows() {
  const path = systemChromium(withWindows);
  return path ? { kind: "found", path } : findChromium();
}

/**
 * @param {string} what
 * @returns {{ kind: "missing", why: string }}
 */
function missing(what) {
  const how = existsSync("/etc/debian_version")
    ? `run \`apt-get install ${debianPackages.join(" ")}\` as root`
    : "install Chromium";
  return { kind: "missing", why: `${what}; ${how}, or set CHROMIUM_PATH to the program.` };
}

function debianChromium() {
  return installOnDebian(...debianPackages) ? systemChromium() : undefined;
}
