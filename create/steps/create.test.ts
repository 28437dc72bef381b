import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { root } from "../../scripts/root.js";
import { create } from "./create.js";

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-create-"));
  said = [];
  const hear = (words: unknown): void => void said.push(String(words));
  vi.spyOn(console, "log").mockImplementation(hear);
  vi.spyOn(console, "error").mockImplementation(hear);
  onTestFinished(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
});

const make = (...args: string[]): Promise<number> => create([folder, "--yes", "--no-install", ...args]);
const filesMade = (): string[] => readdirSync(folder, { recursive: true }).map(String);
const packageMade = (): Description => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

interface Description {
  name: string;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

describe("create-holdfast", () => {
  test("makes an application with everything a first hour needs, and says what comes next", async () => {
    expect(await make()).toBe(0);
    expect(filesMade()).toEqual(
      expect.arrayContaining([".gitignore", ".dockerignore", "AGENTS.md", "Dockerfile", "tests/notes.test.ts"]),
    );
    expect(Object.keys(packageMade().scripts)).toEqual(["dev", "build", "start", "check", "test"]);
    expect(said.join("\n")).toContain("npm run dev");
  });

  test("asks for the versions that the framework itself is tested with", async () => {
    await make("--tailwind", "--sqlite");
    const { dependencies, devDependencies } = packageMade();
    const own: { version: string; devDependencies: Record<string, string> } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8"),
    );
    const { holdfast, ...others } = dependencies;
    expect(holdfast).toBe(`^${own.version}`);
    const tested = Object.entries({ ...others, ...devDependencies }).filter(([name]) => !name.includes("tailwind"));
    expect(tested.length).toBe(6);
    for (const [name, range] of tested) expect(range, name).toBe(`^${own.devDependencies[name]}`);
  });

  test("adds the chosen extras and leaves out the others", async () => {
    expect(await make("--tailwind", "--sqlite", "--no-docker")).toBe(0);
    expect(filesMade()).toContain("vite.config.ts");
    expect(filesMade()).not.toContain("Dockerfile");
    expect(packageMade().devDependencies).toHaveProperty("@tailwindcss/vite");
    expect(readFileSync(join(folder, "src/server/notes.ts"), "utf8")).toContain("node:sqlite");
    expect(filesMade()).toEqual(expect.arrayContaining(["src/env.server.ts", ".env.example"]));
  });

  test("refuses a folder that is not empty, and changes nothing", async () => {
    writeFileSync(join(folder, "thesis.txt"), "");
    expect(await make()).toBe(1);
    expect(said).toEqual([
      `${folder} is not empty: it has "thesis.txt" in it. Name a folder that is empty or not there yet.`,
    ]);
    expect(filesMade()).toEqual(["thesis.txt"]);
  });

  test("accepts a folder with a fresh repository and nothing else", async () => {
    mkdirSync(join(folder, ".git"));
    expect(await make()).toBe(0);
  });

  test("names an unknown option and lists the known ones", async () => {
    expect(await make("--vue")).toBe(2);
    expect(said.join("\n")).toMatch(/--vue[\s\S]*--tailwind/);
  });
});
