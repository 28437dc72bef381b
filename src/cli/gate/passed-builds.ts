import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/** A deployment back to a build of the last weeks must not be stopped by what was resolved since. */
const releasesKept = 50;

/** Whether this build has passed before. A crashed server must come back, whatever was resolved meanwhile. */
export async function hasPassed(root: string, dataFolder: string): Promise<boolean> {
  const release = await releaseOf(root);
  return release !== undefined && (await readPassed(dataFolder)).includes(release);
}

export async function notePassed(root: string, dataFolder: string): Promise<void> {
  const release = await releaseOf(root);
  if (release === undefined) return;
  const others = (await readPassed(dataFolder)).filter((one) => one !== release);
  await writeFile(fileIn(dataFolder), JSON.stringify([release, ...others].slice(0, releasesKept)), { mode: 0o600 });
}

/** The build writes it, and two builds with different content never share it. */
async function releaseOf(root: string): Promise<string | undefined> {
  const text = await readFile(path.join(root, "dist", "release.txt"), "utf8").catch(() => "");
  return text.trim() || undefined;
}

/** An unreadable note is none: the build is judged again. */
async function readPassed(dataFolder: string): Promise<readonly string[]> {
  try {
    const noted: unknown = JSON.parse(await readFile(fileIn(dataFolder), "utf8"));
    return Array.isArray(noted) ? noted.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

function fileIn(dataFolder: string): string {
  return path.join(dataFolder, "gate-passed.json");
}
