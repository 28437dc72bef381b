/**
 * Entry of every npm script: `node scripts/run.js TASK`. It installs packages, finds the right Node, and runs
 * `tasks/TASK.js`. This file and its imports run on Node 18 and later.
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { wrongNode } from "../bin/node-version.js";
import { ensureInstalled } from "./install.js";
import { findNode } from "./repository-node.js";
import { root } from "./root.js";

const [task = "", ...args] = process.argv.slice(2);
process.exitCode = await run(task, args);

/**
 * @param {string} task
 * @param {string[]} args
 */
async function run(task, args) {
  const tasks = readdirSync(join(root, "scripts/tasks")).map((file) => file.replace(/\.js$/, ""));
  if (!tasks.includes(task)) return refuse(`There is no task "${task}"; there are ${tasks.join(", ")}.`);

  if (!(await ensureInstalled(root))) return 1;

  const { execPath, platform, arch, versions } = process;
  const node = findNode(root, { execPath, platform, arch, version: versions.node });
  if (node.kind === "none")
    return refuse(
      `${wrongNode(versions.node)} and the repository has none that runs here; install Node 24 from https://nodejs.org and try again.`,
    );

  if (process.env.npm_lifecycle_event) endWithParent();
  const file = join(root, "scripts/tasks", `${task}.js`);
  process.env.PATH = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`;
  return node.kind === "running" ? await runHere(file, args) : await runOn(node.path, file, args);
}

/**
 * Runs the task in this process, so that the second `npm start` is faster.
 * @param {string} file
 * @param {string[]} args
 */
async function runHere(file, args) {
  process.argv.splice(1, process.argv.length, file, ...args);
  await import(pathToFileURL(file).href);
  return process.exitCode ?? 0;
}

/**
 * @param {string} node
 * @param {string} file
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function runOn(node, file, args) {
  const child = spawn(node, [file, ...args], { stdio: "inherit" });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  // A terminal already sends it to both, and a second one would abort a server that is finishing its requests.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/**
 * When npm is killed, only its shell ends; a server would keep running and hold its port. So the task ends when its
 * parent has ended.
 */
function endWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  watch.unref();
}

/** @param {string} sentence */
function refuse(sentence) {
  console.error(sentence);
  return 1;
}
