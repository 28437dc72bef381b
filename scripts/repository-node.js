import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { nodeIsSupported } from "../bin/node-version.js";

/**
 * Finds a Node that every task can run on: the repository's own, so that all machines use the same, else the running
 * one.
 * @param {string} root
 * @param {{ execPath: string, version: string, platform: string, arch: string }} running
 * @returns {{ kind: "running" } | { kind: "other", path: string } | { kind: "none" }}
 */
export function findNode(root, running) {
  const file = running.platform === "win32" ? "node.exe" : "node";
  const platform = running.platform === "win32" ? "win" : running.platform;
  const own = join(root, "node_modules", `node-${platform}-${running.arch}`, "bin", file);
  if (existsSync(own)) {
    if (realpathSync(own) === realpathSync(running.execPath)) return { kind: "running" };
    if (runs(own)) return { kind: "other", path: own };
  }
  return nodeIsSupported(running.version) ? { kind: "running" } : { kind: "none" };
}

/**
 * A program for the right platform may still not run: on a system without glibc, or in a folder mounted with `noexec`.
 * @param {string} node
 */
function runs(node) {
  return spawnSync(node, ["--version"]).status === 0;
}
