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
  /** The rest of its message, if it says that it fixes something. */
  body?: string;
  /** Files that it touches, from the root of the repository. */
  files: string[];
}

/** More than people read about one release. The repository has the rest. */
const mostCommits = 50;
const longestText = 200;
const longestBody = 4_000;
/** A commit that touches more says little about any of them. */
const mostFiles = 200;

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
  const format = `--format=${mark}%H%n%an%n%at%n%s%n%b${mark}`;
  const log = ["log", "-z", "--name-only", `--max-count=${mostCommits}`, "--no-show-signature", format];
  const parts = ((await runGit(root, log)) ?? "").split(mark).slice(1);
  // Each commit is followed by its files.
  return parts.flatMap((text, place) => (place % 2 === 0 ? readCommit(text, parts[place + 1] ?? "") : []));
}

/** Before and after the text of a commit. No name of a person or a file has it. */
const mark = "\u0001";

function readCommit(text: string, names: string): Commit[] {
  const [hash = "", author = "", seconds = "", subject = "", ...rest] = text.split("\n");
  const body = rest.join("\n").trim().slice(0, longestBody);
  if (!/^[0-9a-f]{40,64}$/.test(hash)) return [];
  const files = names.split(/[\0\n]/).filter((name) => name !== "");
  return [
    {
      hash,
      author: author.slice(0, longestText),
      at: Number(seconds) * 1_000,
      subject: subject.slice(0, longestText),
      // Other messages stay in the repository.
      ...(/HOLDFAST-\d|\/_holdfast\//i.test(body) && { body }),
      files: files.slice(0, mostFiles),
    },
  ];
}
