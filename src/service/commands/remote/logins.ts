import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { hasCode } from "#errors";
import { isObject } from "#protocol";

/** Tokens of services in which a person has signed in on this machine, by origin. Only the person can read the file. */
export class Logins {
  readonly #file: string;

  constructor(environment: NodeJS.ProcessEnv = process.env) {
    this.#file = join(configFolder(environment), "holdfast", "logins.json");
  }

  get file(): string {
    return this.#file;
  }

  tokenFor(origin: string): string | undefined {
    return this.#read()[origin];
  }

  keep(origin: string, token: string): void {
    this.#write({ ...this.#read(), [origin]: token });
  }

  /** Returns whether there was one. */
  forget(origin: string): boolean {
    const { [origin]: forgotten, ...others } = this.#read();
    if (forgotten !== undefined) this.#write(others);
    return forgotten !== undefined;
  }

  /** A file that is damaged has no logins: the person signs in again. */
  #read(): Readonly<Record<string, string>> {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return {};
      throw error;
    }
    const read = parsed(text);
    if (!isObject(read)) return {};
    return Object.fromEntries(Object.entries(read).filter((entry): entry is [string, string] => isText(entry[1])));
  }

  /** Another command that reads at the same time gets the old file or the new one. */
  #write(logins: Readonly<Record<string, string>>): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const beside = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(beside, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 });
      chmodSync(beside, 0o600);
      renameSync(beside, this.#file);
    } finally {
      rmSync(beside, { force: true });
    }
  }
}

function configFolder({ XDG_CONFIG_HOME, APPDATA }: NodeJS.ProcessEnv): string {
  if (XDG_CONFIG_HOME) return XDG_CONFIG_HOME;
  return process.platform === "win32" && APPDATA ? APPDATA : join(homedir(), ".config");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
