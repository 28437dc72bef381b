import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Files of the cache that no build has used for so long are removed: a month of work on one branch. */
const unusedDays = 30;

/** Keeps what builds have made, by a key that names everything it was made of. */
export class VersionCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A cache that cannot be read or written costs time, never the build. */
  async get(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const file = join(this.#folder, key);
    const kept = await readFile(file).catch(() => undefined);
    if (kept) {
      const now = new Date();
      await utimes(file, now, now).catch(() => undefined);
      return kept;
    }
    const made = await make();
    await this.#write(file, made).catch(() => undefined);
    return made;
  }

  /** Renames at the end, so that a build that is killed leaves no partial file under a key. */
  async #write(file: string, content: Buffer): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const growing = `${file}.${process.pid}.growing`;
    await writeFile(growing, content);
    await rename(growing, file);
  }

  async removeUnused(nowMs: number = Date.now()): Promise<void> {
    const oldestMs = nowMs - unusedDays * 86_400_000;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const file = join(this.#folder, name);
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: nowMs }));
      if (mtimeMs < oldestMs) await rm(file, { force: true });
    }
  }
}
