import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Tally } from "./evidence.ts";
import type { HealingCause, HealingRecord } from "./healing-record.ts";
import type { PinnedRoute, RoutePin, ServedRelease } from "./release-messages.ts";

/** What is known about one release that this data folder has seen. */
export interface ReleaseNote extends Pick<ServedRelease, "key" | "name" | "build" | "holdfast" | "data"> {
  /** When it was last started; milliseconds since 1970. */
  servedAt: number;
  /** The release that answers for it. */
  before: string | undefined;
  /** Why no route of it is healed, if so. */
  never?: string | undefined;
  /** What it answered itself. */
  counts: Record<string, Tally>;
  routes: Record<string, HealingRecord>;
}

/** Of names that a build or a person may choose, those that are safe as a folder. */
const safeKey = /^[\w-][\w.-]{0,99}$/;

export function isSafeKey(key: string): boolean {
  return safeKey.test(key) && key !== "node_modules";
}

/**
 * The folder `releases` of the data folder: for each release a note and, if it may answer for the next one, a copy of
 * its build. A note is replaced as a whole. Of several processes that were started one by one, the last one to write
 * has its counts there; decisions of the others are adopted first.
 */
export class ReleaseFolder {
  readonly path: string;
  /** By release: the file as this process has written or read it last. */
  readonly #written = new Map<string, string>();

  constructor(dataFolder: string) {
    this.path = path.join(dataFolder, "releases");
  }

  /** Folder of the copy of a build. */
  buildOf(key: string): string {
    return path.join(this.path, key, "build");
  }

  /** All notes, the last served first. One that cannot be read is left out. */
  async notes(): Promise<ReleaseNote[]> {
    const names = await readdir(this.path).catch(() => []);
    const notes = await Promise.all(names.filter(isSafeKey).map((name) => this.note(name)));
    return notes.filter((note) => note !== undefined).sort((a, b) => b.servedAt - a.servedAt);
  }

  async note(key: string): Promise<ReleaseNote | undefined> {
    try {
      return readNote(JSON.parse(await readFile(this.#noteFile(key), "utf8")), key);
    } catch {
      return undefined;
    }
  }

  async write(note: ReleaseNote): Promise<void> {
    const file = this.#noteFile(note.key);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, JSON.stringify(note));
    this.#written.set(note.key, await versionOf(file));
  }

  /** The note, if another process has replaced it. */
  async noteOfOther(key: string): Promise<ReleaseNote | undefined> {
    const version = await versionOf(this.#noteFile(key));
    if (version === this.#written.get(key)) return undefined;
    this.#written.set(key, version);
    return this.note(key);
  }

  async remove(key: string): Promise<void> {
    await rm(path.join(this.path, key), { recursive: true, force: true });
  }

  /** Which build an operator has chosen for a route of a release. */
  async pins(key: string): Promise<Record<string, RoutePin>> {
    try {
      return readPins(JSON.parse(await readFile(this.#pinFile(key), "utf8")));
    } catch {
      return {};
    }
  }

  async pin(key: string, { route, pin }: PinnedRoute): Promise<void> {
    const { [route]: _replaced, ...others } = await this.pins(key);
    await replaceFile(this.#pinFile(key), JSON.stringify(pin ? { ...others, [route]: pin } : others));
  }

  #pinFile(key: string): string {
    return path.join(this.path, key, "pins.json");
  }

  #noteFile(key: string): string {
    return path.join(this.path, key, "note.json");
  }
}

/** Changes whenever a file is replaced. */
async function versionOf(file: string): Promise<string> {
  return stat(file).then(
    ({ ino, mtimeMs }) => `${ino} ${mtimeMs}`,
    () => "none",
  );
}

async function replaceFile(file: string, text: string): Promise<void> {
  const growing = `${file}.${process.pid}`;
  await writeFile(growing, text, { mode: 0o600 });
  await rename(growing, file);
}

/** Undefined if it is not a note, for example of another version. */
function readNote(value: unknown, key: string): ReleaseNote | undefined {
  const note = Object(value) as Partial<Record<keyof ReleaseNote, unknown>>;
  const texts = [note.name, note.build, note.holdfast, note.data];
  const isNote =
    note.key === key &&
    typeof note.servedAt === "number" &&
    texts.every((text) => typeof text === "string") &&
    Object.values(Object(note.counts)).every(isTally) &&
    Object.values(Object(note.routes)).every(isRecord);
  return isNote ? (value as ReleaseNote) : undefined;
}

function isTally(value: unknown): boolean {
  const { requests, failures } = Object(value) as Partial<Tally>;
  return typeof requests === "number" && typeof failures === "number";
}

function isRecord(value: unknown): boolean {
  const { at, tally, seen, cause } = Object(value) as Record<string, unknown>;
  if (at === "new") return isTally(Object(seen).all) && isTally(Object(seen).recent);
  return isCause(cause) && (at === "kept" || ((at === "before" || at === "trial") && isTally(tally)));
}

export function isCause(value: unknown): value is HealingCause {
  const { since, new: failed, before } = Object(value) as Partial<HealingCause>;
  return typeof since === "number" && isTally(failed) && isTally(before);
}

function readPins(value: unknown): Record<string, RoutePin> {
  return Object.fromEntries(Object.entries(Object(value)).filter((one): one is [string, RoutePin] => isPin(one[1])));
}

export function isPin(value: unknown): value is RoutePin {
  const { to, since } = Object(value) as Partial<RoutePin>;
  return (to === "new" || to === "before") && typeof since === "number";
}
