import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync } from "node:fs";
import path from "node:path";
import { hasCode } from "#errors";

/**
 * Several processes of one application may run at once, so each has its own folder inside the outbox, named by the
 * process. The next process that starts takes over the files of one that has ended.
 */
export function openOutboxFolder(outbox: string): string {
  const ownFolder = path.join(outbox, processName());
  mkdirSync(ownFolder, { recursive: true, mode: 0o700 });
  let number = Math.max(0, ...readdirSync(ownFolder).map(numberOf));
  for (const name of readdirSync(outbox).sort()) {
    const folder = path.join(outbox, name);
    if (folder === ownFolder || !/^\d+-\d+$/.test(name) || isAlive(name)) continue;
    for (const file of filesIn(folder)) if (takeOver(folder, file, ownFolder, number + 1)) number++;
    removeEmpty(folder);
  }
  return ownFolder;
}

/** Process ids are reused, so the name of a process also has its start. */
export function processName(): string {
  return `${process.pid}-${startOf(process.pid) ?? 0}`;
}

/** Returns none if another process has taken over all files and removed the folder. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

function numberOf(file: string): number {
  return Number(/-(\d+)\.spool$/.exec(file)?.[1] ?? 0);
}

/** Whether the process of this name still runs. */
export function isAlive(name: string): boolean {
  const [pid = 0, start] = name.split("-").map(Number);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, "ESRCH")) return false;
  }
  // The process id may have been reused.
  const now = startOf(pid);
  return now === undefined || now === start;
}

/** Returns the start time of a process in the system's own unit; undefined on systems without /proc. */
function startOf(pid: number): number | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  try {
    // The second field is the program's name in brackets and may contain anything.
    const fields = readFileSync(file, "utf8").split(") ").at(-1)?.split(" ");
    return Number(fields?.[19]);
  } catch {
    // The process ended in the meantime.
    return undefined;
  }
}

/** Renaming is atomic: of two processes that start at once, one gets the file. */
function takeOver(from: string, file: string, to: string, number: number): boolean {
  const [, lane] = /^([a-z]+)-\d+\.spool$/.exec(file) ?? [];
  if (lane === undefined) return false;
  try {
    renameSync(path.join(from, file), path.join(to, `${lane}-${String(number).padStart(8, "0")}.spool`));
    return true;
  } catch {
    // The other process was faster.
    return false;
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Not empty, or already removed.
  }
}
