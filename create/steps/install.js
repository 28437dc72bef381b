import { spawn } from "node:child_process";

/**
 * `npm install` in the new folder, with its own words on the terminal. What npm has in its cache is taken from there,
 * so that it works without a network.
 * @param {string} folder
 * @returns {Promise<boolean>} whether it succeeded
 */
export function installPackages(folder) {
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund"];
  // On Windows npm is a script of the shell; nothing of it comes from outside.
  const child = spawn("npm", args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}
