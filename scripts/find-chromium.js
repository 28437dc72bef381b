import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const withWindows = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
// The same engine without windows, which take two thirds of the time.
const headlessShell = "chromium-headless-shell";
const applications = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * A Chromium for the tests: the one named by CHROMIUM_PATH, the system's, Playwright's, or (as root on Debian) Debian's packages, installed now.
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
 * A Chromium that has windows, for what the headless shell lacks: the back/forward cache.
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
  return { kind: "missing", why: `${what}; install Chromium, or set CHROMIUM_PATH to the program.` };
}

function systemChromium(names = [headlessShell, ...withWindows]) {
  const folders = (process.env.PATH ?? "").split(delimiter).concat("/usr/bin", "/usr/local/bin", "/snap/bin");
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .concat(applications)
    .find(isProgram);
}

/** Newest first. A browser that is downloaded by Playwright lies in a folder with its revision. */
function playwrightChromium() {
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

function debianChromium() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return undefined;
  console.log("There is no Chromium yet; installing Debian's packages (once).");
  const apt = (/** @type {string[]} */ ...args) =>
    spawnSync("apt-get", args, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })
      .status === 0;
  const packages = ["chromium", headlessShell];
  const installed = apt("update", "-qq") && apt("install", "-y", "-qq", "--no-install-recommends", ...packages);
  return installed ? systemChromium() : undefined;
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
