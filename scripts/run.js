/**
 * Every npm script begins here: `node scripts/run.js TASK`. It sees to the packages and to the right Node, then hands over to `tasks/TASK.js`.
 * This file and what it imports run on Node 18 and later.
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
      `${wrongNode(versions.node)} and npm has none for ${platform} on ${arch}; install Node 24 from https://nodejs.org and try again.`,
    );

  const file = join(root, "scripts/tasks", `${task}.js`);
  process.env.PATH = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`;
  return node.kind === "running" ? await runHere(file, args) : await runOn(node.path, file, args);
}

/**
 * One process less: the second `npm start` is up sooner.
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
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on("error", (error) =>
      resolve(
        refuse(
          `The repository's Node does not run on this machine (${error.message}); install Node 24 from https://nodejs.org and remove ${node}.`,
        ),
      ),
    );
    // 128 and the signal's number is what a shell would report; 1 stands for those few that have no usual number.
    child.on("close", (code, signal) =>
      resolve(code ?? 128 + ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[String(signal)] ?? 1)),
    );
  });
}

/** @param {string} sentence */
function refuse(sentence) {
  console.error(sentence);
  return 1;
}
