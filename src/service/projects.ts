import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "#protocol";
import { serviceErrors } from "./errors.ts";

/** An application that reports. Clients insist on a number for its id. */
export interface Project {
  readonly id: number;
  readonly name: string;
  /** 32 hexadecimal characters; whoever has it may send, and nothing else. */
  readonly publicKey: string;
}

const readAgainMs = 1_000;

/** The projects of a service, in one small file of its data folder. */
export class Projects {
  readonly #file: string;
  #projects: readonly Project[] = [];
  #byKey: ReadonlyMap<string, Project> = new Map();

  #readAt = Number.NEGATIVE_INFINITY;

  private constructor(file: string) {
    this.#file = file;
    this.#take(readProjects(file));
  }

  /** Opens the projects of a data folder. The first start makes project 1. */
  static open(folder: string): Projects {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, "projects.json");
    const projects = new Projects(file);
    if (projects.all.length === 0) projects.add("My application");
    return projects;
  }

  get all(): readonly Project[] {
    return this.#projects;
  }

  byKey(publicKey: string): Project | undefined {
    return this.#byKey.get(publicKey) ?? this.#readAgain(() => this.#byKey.get(publicKey));
  }

  byId(id: number): Project | undefined {
    const find = (): Project | undefined => this.#projects.find((project) => project.id === id);
    return find() ?? this.#readAgain(find);
  }

  add(name: string, publicKey: string = randomBytes(16).toString("hex")): Project {
    const project: Project = { id: Math.max(0, ...this.#projects.map(({ id }) => id)) + 1, name, publicKey };
    this.#write([...this.#projects, project]);
    return project;
  }

  /** A project may have been made by the command line since; a flood of unknown keys must not become a flood of reading. */
  #readAgain(find: () => Project | undefined): Project | undefined {
    const now = performance.now();
    if (now - this.#readAt < readAgainMs) return undefined;
    this.#readAt = now;
    this.#take(readProjects(this.#file));
    return find();
  }

  #take(projects: readonly Project[]): void {
    this.#projects = projects;
    this.#byKey = new Map(projects.map((project) => [project.publicKey, project]));
  }

  #write(projects: readonly Project[]): void {
    // Written beside and renamed over: whatever happens, the file is the old or the new one, whole.
    const fresh = `${this.#file}.new`;
    const handle = openSync(fresh, "w", 0o600);
    writeSync(handle, `${JSON.stringify(projects, undefined, 2)}\n`);
    fsyncSync(handle);
    closeSync(handle);
    renameSync(fresh, this.#file);
    this.#take(projects);
  }
}

function readProjects(file: string): readonly Project[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list) || !list.every(isProject)) throw serviceErrors.unreadableProjects(file);
  return list;
}

function isProject(value: unknown): value is Project {
  const project: JsonObject = isObject(value) ? value : {};
  return Number.isSafeInteger(project.id) && typeof project.name === "string" && typeof project.publicKey === "string";
}
