import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildApplication } from "#build";
import { startApplication } from "#host";
import { root } from "../../scripts/root.js";
import { writeFiles } from "../kit/index.ts";

let folder: string;

/** Outside of this repository, so that it has only its own git. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-release-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  writeFiles(folder, {
    "package.json": '{ "private": true, "type": "module" }',
    "public/robots.txt": "User-agent: *",
    "src/pages/index.tsx": "export default () => <p>page</p>;",
    "src/pages/index.server.ts": "export const cache = 'a';",
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=Jo", "-c", "user.email=jo@shop.test", "-c", "commit.gpgsign=false", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();

async function release(): Promise<string> {
  await buildApplication({ root: folder });
  return readFileSync(join(folder, "dist/release.txt"), "utf8").trim();
}

const content = /^[0-9a-f]{12}$/;

describe("the release that reports name", () => {
  it("is the content of both sides without git, so that a change of the server alone is another one", async () => {
    const first = await release();
    expect(first).toMatch(content);
    expect(await release()).toBe(first);
    writeFiles(folder, { "src/pages/index.server.ts": "export const cache = 'b';" });
    expect(await release()).not.toBe(first);
  });

  it("is the commit if everything is committed, and only then", async () => {
    git("init", "--quiet");
    git("add", "src", "public", "package.json");
    git("commit", "--quiet", "-m", "first");
    const commit = git("rev-parse", "HEAD");
    expect(await release()).toBe(commit);
    // The build's own files are no change, even if they are not ignored.
    expect(await release()).toBe(commit);

    writeFiles(folder, { "src/pages/index.server.ts": "export const cache = 'b';" });
    const changed = await release();
    expect(changed.split("-")).toEqual([commit, expect.stringMatching(content)]);
    git("checkout", "--quiet", "--", "src");
    expect(await release()).toBe(commit);
    writeFiles(folder, { "src/pages/new.tsx": "export default () => <p>new</p>;" });
    expect((await release()).split("-")).toEqual([commit, expect.stringMatching(content)]);
  });

  it("is that of the build, not of the checkout at the start", async () => {
    git("init", "--quiet");
    git("add", "src", "public", "package.json");
    git("commit", "--quiet", "-m", "first");
    const built = await release();
    git("commit", "--quiet", "--allow-empty", "-m", "second");
    expect(await served("/")).toContain(`"release":"${built}"`);
  });
});

it("a changed file from public is sent again, whatever else is the same", async () => {
  await buildApplication({ root: folder });
  const before = await tagOf("/robots.txt");
  expect(await tagOf("/robots.txt")).toBe(before);
  writeFiles(folder, { "public/robots.txt": "User-agent: none" });
  await buildApplication({ root: folder });
  expect(await tagOf("/robots.txt")).not.toBe(before);
});

async function served(path: string): Promise<string> {
  return (await answer(path)).text;
}

async function tagOf(path: string): Promise<string | null> {
  return (await answer(path)).tag;
}

async function answer(path: string): Promise<{ text: string; tag: string | null }> {
  const dataFolder = join(folder, ".holdfast");
  const server = await startApplication({ root: folder, port: 0, nextFreePort: false, host: "127.0.0.1", dataFolder });
  const response = await fetch(server.url + path);
  const text = await response.text();
  await server.stop();
  return { text, tag: response.headers.get("etag") };
}
