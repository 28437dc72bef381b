import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../tests/kit/application.ts";
import { readEnvironmentFiles } from "./environment-files.ts";

const names = ["A", "B", "C", "D", "E"].map((letter) => `HOLDFAST_TEST_FILES_${letter}`);

/** Reads files of a folder in which every file sets one variable more, to its own name. */
function valuesFor(nodeEnv: string, mode: "development" | "production"): (string | undefined)[] {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-environment-"));
  const before = process.env.NODE_ENV;
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
    process.env.NODE_ENV = before;
    for (const name of names) delete process.env[name];
  });
  const set = (count: number, value: string): string =>
    names
      .slice(0, count)
      .map((name) => `${name}=${value}\n`)
      .join("");
  writeFiles(folder, {
    ".env": set(5, "env"),
    ".env.local": set(4, "local"),
    ".env.production": set(3, "production"),
    ".env.production.local": set(2, "production.local"),
    ".env.development": set(3, "development"),
    ".env.test": set(3, "test"),
  });
  process.env[names[0] ?? ""] = "process";
  process.env.NODE_ENV = nodeEnv;
  readEnvironmentFiles(folder, mode);
  return names.map((name) => process.env[name]);
}

test("the process wins, then the file of machine and mode, of the mode, of the machine, of all", () => {
  expect(valuesFor("", "production")).toEqual(["process", "production.local", "production", "local", "env"]);
});

test("the mode is what the command is for, unless NODE_ENV says another", () => {
  expect(valuesFor("", "development")).toEqual(["process", "development", "development", "local", "env"]);
});

test("a test has the files of the mode test, because its runner sets NODE_ENV", () => {
  expect(valuesFor("test", "development")).toEqual(["process", "test", "test", "local", "env"]);
});
