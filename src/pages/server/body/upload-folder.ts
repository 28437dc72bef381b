import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "#errors";

/** Each upload has its own folder, named after the process that receives it. */
export function newUploadName(): string {
  return `upload-${process.pid}-`;
}

/** Creates the folder for uploads and removes what crashed processes have left in it. */
export function openUploadFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const pid = Number(/^upload-(\d+)-/.exec(name)?.[1] ?? 0);
    // This process has received nothing yet, so a folder with its id belongs to an earlier process.
    if (pid > 0 && (pid === process.pid || !isRunning(pid)))
      rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

/** Removes what a process of this machine has left, which has just ended. */
export async function removeUploadsOf(folder: string, pid: number): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  const left = names.filter((name) => name.startsWith(`upload-${pid}-`));
  await Promise.all(left.map((name) => rm(path.join(folder, name), { recursive: true, force: true })));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: a process of another user is running, but may not be signalled.
    return hasCode(error, "EPERM");
  }
}
