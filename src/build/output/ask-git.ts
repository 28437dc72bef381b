import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A repository that takes longer is on a disk in trouble, and the build goes on without it. */
const withinMs = 5_000;

/**
 * What git answers. Nothing without git, outside of a repository, or before its first commit: none of that is a fault
 * of the build.
 */
export async function askGit(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("git", args, { cwd: folder, timeout: withinMs, windowsHide: true });
    return stdout;
  } catch {
    return undefined;
  }
}
