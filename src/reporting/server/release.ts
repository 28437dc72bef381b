import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Returns the commit that is checked out in this folder or above; undefined without git. Reads git's files, so that no
 * process is started.
 */
export function readGitCommit(folder: string): string | undefined {
  try {
    const git = findGit(folder);
    if (git === undefined) return undefined;
    const head = readFileSync(path.join(git, "HEAD"), "utf8").trim();
    if (!head.startsWith("ref: ")) return commitOf(head);
    const ref = head.slice(5);
    const common = commonFolder(git);
    const loose = [path.join(git, ref), path.join(common, ref)].find((file) => existsSync(file));
    if (loose !== undefined) return commitOf(readFileSync(loose, "utf8"));
    const packed = readFileSync(path.join(common, "packed-refs"), "utf8");
    return commitOf(packed.split("\n").find((line) => line.endsWith(` ${ref}`)) ?? "");
  } catch {
    // The repository is in an unknown state; the build's id names the release instead.
    return undefined;
  }
}

function findGit(folder: string): string | undefined {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const git = path.join(at, ".git");
    // In a linked worktree `.git` is a file that names the folder.
    if (existsSync(git))
      return statSync(git).isDirectory() ? git : path.resolve(at, readFileSync(git, "utf8").trim().slice(8));
    if (path.dirname(at) === at) return undefined;
  }
}

function commonFolder(git: string): string {
  const file = path.join(git, "commondir");
  return existsSync(file) ? path.resolve(git, readFileSync(file, "utf8").trim()) : git;
}

function commitOf(text: string): string | undefined {
  return /^[0-9a-f]{40,64}\b/.exec(text.trim())?.[0];
}
