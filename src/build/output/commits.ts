import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OutputFolders } from "./output-folders.ts";
import { runGit } from "./run-git.ts";

/** A commit in `commits.json`. Names only: mail addresses do not belong in a build. */
interface Commit {
  hash: string;
  author: string;
  /** Milliseconds since 1970. */
  at: number;
  subject: string;
}

/** More than people read about one release. The repository has the rest. */
const mostCommits = 50;
const longestText = 200;

/**
 * Writes the commits that the console shows for a release, beside the manifest and never served. Writes nothing without
 * git or outside of a repository.
 */
export async function writeCommits({ root, growing }: OutputFolders): Promise<void> {
  const commits = await readGitCommits(root);
  if (commits.length > 0) await writeFile(join(growing, "commits.json"), `${JSON.stringify(commits, null, 1)}\n`);
}

/** Newest first, starting at the checked-out commit. */
export async function readGitCommits(root: string): Promise<Commit[]> {
  const log = ["log", "-z", `--max-count=${mostCommits}`, "--no-show-signature", "--format=%H%n%an%n%at%n%s"];
  return ((await runGit(root, log)) ?? "").split("\0").flatMap(readCommit);
}

function readCommit(text: string): Commit[] {
  const [hash = "", author = "", seconds = "", subject = ""] = text.split("\n");
  if (!/^[0-9a-f]{40,64}$/.test(hash)) return [];
  return [
    { hash, author: author.slice(0, longestText), at: Number(seconds) * 1_000, subject: subject.slice(0, longestText) },
  ];
}
