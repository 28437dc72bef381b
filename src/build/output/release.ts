import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { listFiles } from "../application-files.ts";
import type { OutputFolders } from "./output-folders.ts";
import { runGit } from "./run-git.ts";

/** As long as a build id. */
const contentLetters = 12;

/**
 * Writes the application's release for reports, beside the manifest and never served. Not in the manifest, which is
 * equal wherever equal sources are built.
 */
export async function writeRelease(folders: OutputFolders): Promise<void> {
  await writeFile(join(folders.growing, "release.txt"), `${await nameRelease(folders)}\n`);
}

/**
 * Returns the commit if everything is committed. Otherwise the content of both sides identifies the release, after the
 * commit: two versions never share a name, even if only the server differs.
 */
async function nameRelease(folders: OutputFolders): Promise<string> {
  const commit = await commitOf(folders.root);
  if (commit && !(await hasChanges(folders))) return commit;
  const content = await contentOf(folders);
  return commit ? `${commit}-${content}` : content;
}

async function commitOf(root: string): Promise<string | undefined> {
  const head = await runGit(root, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  return /^[0-9a-f]{40,64}$/.exec(head?.trim() ?? "")?.[0];
}

/** Whether tracked files outside of the output have changed, or the application has new files. */
async function hasChanges({ root, final, growing }: OutputFolders): Promise<boolean> {
  const outputs = [final, growing].map((folder) => `:(exclude)${relative(root, folder)}`);
  const status = ["status", "--porcelain"];
  const changed = await runGit(root, [...status, "--untracked-files=no", "--", ":/", ...outputs]);
  const added = await runGit(root, [...status, "--untracked-files=all", "--", "src", "public"]);
  return changed !== "" || added !== "";
}

async function contentOf({ browser, server }: OutputFolders): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of [browser, server])
    for (const file of (await listFiles(folder)).sort())
      if (!file.endsWith(".map")) hash.update(`${file}\n`).update(await readFile(join(folder, file)));
  return hash.digest("hex").slice(0, contentLetters);
}
