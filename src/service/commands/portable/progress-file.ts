import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isObject } from "#protocol";

/** Says how far an export or import has come, so that the next run goes on there. Beside its file, until it is done. */
export class ProgressFile<Progress extends object> {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Undefined if there is none, or if it belongs to something else. */
  read(isOurs: (progress: Readonly<Record<string, unknown>>) => boolean): Progress | undefined {
    if (!existsSync(this.path)) return undefined;
    try {
      const progress: unknown = JSON.parse(readFileSync(this.path, "utf8"));
      return isObject(progress) && isOurs(progress) ? (progress as unknown as Progress) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Replaced as a whole: a process that is killed leaves the one before. */
  write(progress: Progress): void {
    const next = `${this.path}.next`;
    writeFileSync(next, JSON.stringify(progress), { mode: 0o600, flush: true });
    renameSync(next, this.path);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}
