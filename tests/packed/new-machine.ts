import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { root } from "../../scripts/root.js";
import { environmentOn, type NewMachine, type Packed } from "./new-machine-environment.ts";

/** Installs both packed packages on an empty machine, with an empty npm cache and an empty home. Once for all tests. */
export default function setUp(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-packed-"));
  mkdirSync(join(folder, "home"));
  const framework = pack(folder, []);
  const starter = pack(folder, ["--workspace", "create"]);
  const machine: NewMachine = { folder, app: join(folder, "notes"), framework, starter };
  const begun = performance.now();
  const command = ["create-holdfast", "notes", "--yes", "--sqlite", "--holdfast", framework.file];
  const said = npm(folder, ["exec", "--yes", "--package", starter.file, "--", ...command], environmentOn(machine));
  if (!said.includes("cd notes")) throw new Error(`create-holdfast did not say what comes next:\n${said}`);
  console.log(`create: ${((performance.now() - begun) / 1000).toFixed(1)} s with an empty npm cache`);
  project.provide("newMachine", machine);
  return () => rm(folder, { recursive: true, force: true });
}

function pack(folder: string, args: string[]): Packed {
  const output = npm(root, ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...args], process.env);
  const [packed]: (Omit<Packed, "file"> & { filename: string })[] = JSON.parse(output);
  if (!packed) throw new Error(`npm packed nothing: ${output}`);
  const { filename, size, files } = packed;
  return { file: join(folder, filename), size, files };
}

function npm(cwd: string, args: string[], env: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr } = spawnSync("npm", ["--loglevel=error", ...args], {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
    env,
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
