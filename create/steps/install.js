import { spawn } from "node:child_process";

/**
 * Runs `npm install` in the new folder and shows its output. Prefers npm's cache, so that it works without a network.
 * @param {string} folder
 * @returns {Promise<boolean>} whether it succeeded
 */
export function installPackages(folder) {
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund"];
  // On Windows npm is a shell script; the arguments contain no external input.
  const child = spawn("npm", args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}
