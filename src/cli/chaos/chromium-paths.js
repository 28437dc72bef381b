// Plain JavaScript, because the repository's scripts import it before compilation and on any version of Node.
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

export const withWindows = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/** The same engine without windows, in two thirds of the time. */
export const headlessShell = "chromium-headless-shell";
const applications = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * Finds a Chromium that is installed on this machine.
 * @returns {string | undefined}
 */
export function systemChromium(names = [headlessShell, ...withWindows]) {
  const folders = (process.env.PATH ?? "").split(delimiter).concat("/usr/bin", "/usr/local/bin", "/snap/bin");
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .concat(applications)
    .find(isProgram);
}

/**
 * Finds the newest Chromium that Playwright has downloaded; each lies in a folder named by its revision.
 * @returns {string | undefined}
 */
export function playwrightChromium() {
  const caches = [
    process.env.PLAYWRIGHT_BROWSERS_PATH,
    join(homedir(), ".cache/ms-playwright"),
    join(homedir(), "Library/Caches/ms-playwright"),
  ];
  for (const cache of caches) {
    if (!cache || !existsSync(cache)) continue;
    const revisions = readdirSync(cache).filter((name) => /^chromium(_headless_shell)?-\d+$/.test(name));
    revisions.sort((one, other) => Number(other.split("-")[1]) - Number(one.split("-")[1]));
    const programs = [
      "chrome-linux64/chrome",
      "chrome-linux/chrome",
      "chrome-linux/headless_shell",
      "chrome-headless-shell-linux64/chrome-headless-shell",
    ];
    const found = revisions
      .flatMap((revision) => programs.map((program) => join(cache, revision, program)))
      .find(isProgram);
    if (found) return found;
  }
  return undefined;
}

/** @param {string} path */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
