import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A repository that takes longer has a disk problem, and the build continues without it. */
const withinMs = 5_000;

/**
 * Returns git's output. Undefined without git, outside of a repository, or before the first commit: none of these is an
 * error of the build.
 */
export async function runGit(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("git", args, { cwd: folder, timeout: withinMs, windowsHide: true });
    return stdout;
  } catch {
    return undefined;
  }
}
