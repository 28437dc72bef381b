import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./root.js";

/** Programs that tasks call, by the file that Node runs, so that they depend neither on a shell nor on PATH. */
const tools = {
  tsc: "node_modules/typescript/bin/tsc",
  biome: "node_modules/@biomejs/biome/bin/biome",
  vitest: "node_modules/vitest/vitest.mjs",
  holdfast: "bin/holdfast.js",
};

/**
 * Runs a tool to its end and shows its output.
 * @param {keyof typeof tools} tool
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to the task's own
 * @returns {Promise<number>} its exit code; 1 if it was killed
 */
export function runTool(tool, args, env = {}) {
  return runNode([join(root, tools[tool]), ...args], env);
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>}
 */
export function runNode(args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}
