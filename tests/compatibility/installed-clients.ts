import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { dataFolder } from "../faults/running-service.ts";

export interface InstalledClients {
  readonly folder: string;
  [Symbol.dispose](): void;
}

/**
 * Installs packages for one test file, because they are too large for every install of the repository. None of their
 * install scripts runs. `HOLDFAST_CLIENTS` is a folder in which they stay, to run again without the network.
 */
export function installClients(name: string, dependencies: Readonly<Record<string, string>>): InstalledClients {
  const { HOLDFAST_CLIENTS: kept } = process.env;
  const scratch = kept === undefined ? dataFolder() : undefined;
  const folder = join(scratch?.path ?? kept ?? "", name);
  if (!existsSync(join(folder, "node_modules"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
    const installed = spawnSync("npm", ["install", "--ignore-scripts"], { cwd: folder, encoding: "utf8" });
    expect(installed.status, installed.stderr).toBe(0);
  }
  return { folder, [Symbol.dispose]: () => scratch?.[Symbol.dispose]() };
}

export function namesOf(packages: Readonly<Record<string, string>>): string {
  return Object.entries(packages)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}
