import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readGitCommits } from "./commits.ts";

describe("the commits of a build", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-commits-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Jo Doe", "-c", "user.email=jo@shop.test", ...args], { cwd: folder });
  const commit = (subject: string) => git("commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", subject);

  it("the commits of a build are the newest fifty, newest first, by name and without addresses", async () => {
    git("init", "--quiet");
    for (let n = 1; n <= 51; n++) commit(`change ${n}\n\nWhy it was made.`);
    const commits = await readGitCommits(folder);
    expect(commits).toHaveLength(50);
    expect(commits[0]).toMatchObject({
      author: "Jo Doe",
      subject: "change 51",
      hash: expect.stringMatching(/^\w{40}$/),
    });
    expect(commits.at(-1)?.subject).toBe("change 2");
    expect(JSON.stringify(commits)).not.toContain("jo@shop.test");
  });

  it("a commit has the files that it touches, by their paths from the root of the repository", async () => {
    git("init", "--quiet");
    mkdirSync(join(folder, "shop/src"), { recursive: true });
    for (const name of ["cart.ts", 'a name with ä and "quotes".ts']) writeFileSync(join(folder, "shop/src", name), "");
    git("add", ".");
    commit("files");
    commit("nothing");
    expect((await readGitCommits(join(folder, "shop"))).map(({ subject, files }) => ({ subject, files }))).toEqual([
      { subject: "nothing", files: [] },
      { subject: "files", files: ['shop/src/a name with ä and "quotes".ts', "shop/src/cart.ts"] },
    ]);
  });

  it("a build outside of a repository or before the first commit has no commits", async () => {
    expect(await readGitCommits(folder)).toEqual([]);
    git("init", "--quiet");
    expect(await readGitCommits(folder)).toEqual([]);
    expect(await readGitCommits(join(folder, "nowhere"))).toEqual([]);
  });
});
