import { spawn, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root } from "../scripts/root.js";
import { openBrowser } from "./kit/browser.ts";

/** A folder outside the repository, with nothing in it but what was packed. */
const folder = mkdtempSync(join(tmpdir(), "holdfast-create-"));
const app = join(folder, "notes");
let framework: string;
let starter: string;

beforeAll(() => {
  framework = pack([]);
  starter = pack(["--workspace", "create"]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the starter, from two packed files and npm alone", () => {
  test("is created, written, broken, checked, tested, built without a warning, and started", {
    timeout: 240_000,
  }, async () => {
    const command = ["create-holdfast", "notes", "--yes", "--sqlite", "--holdfast", framework];
    const created = npm(folder, "create", [
      "exec",
      "--yes",
      "--prefer-offline",
      "--package",
      starter,
      "--",
      ...command,
    ]);
    expect(created.stdout).toContain("cd notes");
    const lock: { packages: object } = JSON.parse(readFileSync(join(app, "node_modules/.package-lock.json"), "utf8"));
    const packages = Object.keys(lock.packages).length;
    const megabytes = sizeOf(join(app, "node_modules")) / 1_000_000;
    console.log(`${packages} packages, ${megabytes.toFixed(0)} MB`);
    expect(packages).toBeLessThanOrEqual(70);
    expect(megabytes).toBeLessThanOrEqual(120);

    await developed();
    npm(app, "check", ["run", "check"]);
    expect(npm(app, "test", ["test"]).stdout).toMatch(/4 passed/);
    const built = npm(app, "build", ["run", "build"]);
    expect(built.stdout).toContain("/notes/[id]");
    expect(built.stderr).toBe("");

    const url = await served("start");
    const home = await fetch(url);
    expect(home.status).toBe(200);
    expect(await home.text()).toContain("A new note");
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    const broken = await fetch(`${url}/break`);
    expect(broken.status).toBe(500);
    const page = await broken.text();
    expect(page).toMatch(/class="digest">[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}</);
    expect(page).not.toContain("on purpose");
  });
});

/** Written, broken and looked into, as in the first minutes with it: in a real browser. */
async function developed(): Promise<void> {
  const url = await served("dev");
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const begun = performance.now();
  await page.goto(url);
  await page.locator("html[data-holdfast=alive]").waitFor();
  tell("the first page alive", begun);
  await page.getByLabel("Title").fill("half written");
  const file = join(app, "src/pages/index.tsx");
  const before = readFileSync(file, "utf8");
  const edited = performance.now();
  writeFileSync(file, before.replace("<h1>Notes</h1>", "<h1>My notes</h1>"));
  await page.getByRole("heading", { name: "My notes" }).waitFor();
  tell("an edit on the screen", edited);
  expect(await page.getByLabel("Title").inputValue()).toBe("half written");
  writeFileSync(file, before);

  await page.getByRole("link", { name: "Break something" }).click();
  await page.locator("#holdfast-failure").getByText("This page breaks on purpose.").first().waitFor();
  await page.locator("#holdfast-failure").getByText("src/pages/break.server.ts:5:9").first().waitFor();
  const event = await page.locator("#holdfast-failure footer a").getAttribute("href");
  await page.goto(event ?? "");
  await page.getByText("This page breaks on purpose.").first().waitFor();
  await browser.close();
}

/** `holdfast dev` or `holdfast start`, until the test ends. */
async function served(how: "dev" | "start"): Promise<string> {
  const begun = performance.now();
  const command = join(app, "node_modules/holdfast/bin/holdfast.js");
  const server = spawn(process.execPath, [command, how, "--port", "0"], { cwd: app, env: environment() });
  onTestFinished(() => void server.kill());
  let said = "";
  // The pipe stays open: the server goes on writing its log.
  for await (const text of server.stdout.iterator({ destroyOnReturn: false })) {
    said += text;
    const url = /http:\/\/[\w.:[\]]+/.exec(said)?.[0];
    if (!url) continue;
    server.stdout.resume();
    await (await fetch(url)).text();
    tell(`${how} to the first HTML`, begun);
    const status = `/proc/${server.pid}/status`;
    if (existsSync(status))
      console.log(`${how}: ${/VmRSS:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1]} kB of memory`);
    return url;
  }
  throw new Error(`The server ended without an address: ${said}`);
}

function pack(args: string[]): string {
  const { stdout } = npm(root, "pack", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...args]);
  const [packed]: { filename: string }[] = JSON.parse(stdout);
  if (!packed) throw new Error(`npm packed nothing: ${stdout}`);
  return join(folder, packed.filename);
}

/** What npm and its scripts wrote. A step that fails fails the test, with its words. */
function npm(cwd: string, step: string, args: string[]): { stdout: string; stderr: string } {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync("npm", ["--loglevel=error", ...args], {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
    env: environment(),
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  tell(step, begun);
  return { stdout, stderr };
}

function tell(step: string, begun: number): void {
  console.log(`${step}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

/** A stranger's: with the Node of this test first, and nothing that Vitest or npm have set for the repository. */
function environment(): NodeJS.ProcessEnv {
  const { PATH = "", HOME, USERPROFILE, SystemRoot, TMPDIR } = process.env;
  const path = [dirname(process.execPath), PATH].join(delimiter);
  return { PATH: path, HOME, USERPROFILE, SystemRoot, TMPDIR, NO_COLOR: "1" };
}

function sizeOf(folder: string): number {
  return globSync("**/*", { cwd: folder }).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
