import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

/** Each upload has a folder of its own, named by the process that receives it. */
export function newUploadName(): string {
  return `upload-${process.pid}-`;
}

/** Makes the folder for uploads. Removes what processes left behind that have ended in the middle of an upload. */
export function openUploadFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const pid = Number(/^upload-(\d+)-/.exec(name)?.[1] ?? 0);
    // This process has received nothing yet, so that what has its number is of an earlier one.
    if (pid > 0 && (pid === process.pid || !isRunning(pid)))
      rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process runs too, though it may not be signalled.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
