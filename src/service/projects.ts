import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject, readJson } from "#protocol";
import { serviceErrors } from "./errors.ts";

/** An application that sends reports. Clients require a numeric id. */
export interface Project {
  readonly id: number;
  readonly name: string;
  /** 32 hexadecimal characters. It permits sending and nothing else. */
  readonly publicKey: string;
}

const lookAgainMs = 1_000;

/** Projects of a service, stored in one small file of its data folder. */
export class Projects {
  readonly #file: string;
  #projects: readonly Project[] = [];
  #byKey: ReadonlyMap<string, Project> = new Map();

  readonly #lookedAt = { known: Number.NEGATIVE_INFINITY, unknown: Number.NEGATIVE_INFINITY };
  #changedMs: number | undefined;

  private constructor(file: string) {
    this.#file = file;
    this.#take(readProjects(file));
  }

  /** Opens the projects of a data folder. The first start creates project 1. */
  static open(folder: string): Projects {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, "projects.json");
    const projects = new Projects(file);
    if (projects.all.length === 0) projects.add("My application");
    return projects;
  }

  get all(): readonly Project[] {
    this.#readAgain("known");
    return this.#projects;
  }

  byKey(publicKey: string): Project | undefined {
    this.#readAgain("known");
    return this.#byKey.get(publicKey) ?? this.#readAgain("unknown").#byKey.get(publicKey);
  }

  byId(id: number): Project | undefined {
    this.#readAgain("known");
    return this.#find(id) ?? this.#readAgain("unknown").#find(id);
  }

  add(name: string, publicKey: string = newKey()): Project {
    this.#take(readProjects(this.#file));
    const project: Project = { id: Math.max(0, ...this.#projects.map(({ id }) => id)) + 1, name, publicKey };
    this.#write([...this.#projects, project]);
    return project;
  }

  change(id: number, change: Partial<Pick<Project, "name" | "publicKey">>): void {
    this.#take(readProjects(this.#file));
    this.#write(this.#projects.map((project) => (project.id === id ? { ...project, ...change } : project)));
  }

  /** Replaces the key. The old one stops working at once in this process, and within a second in others. */
  renewKey(id: number): void {
    this.change(id, { publicKey: newKey() });
  }

  #find(id: number): Project | undefined {
    return this.#projects.find((project) => project.id === id);
  }

  /**
   * Rereads the file if another process has changed it. Its time is checked at most once a second for known projects
   * and once for unknown ones, so that a flood of requests causes no flood of reads.
   */
  #readAgain(why: "known" | "unknown"): this {
    const now = performance.now();
    if (now - this.#lookedAt[why] < lookAgainMs) return this;
    this.#lookedAt[why] = now;
    const changedMs = statSync(this.#file, { throwIfNoEntry: false })?.mtimeMs;
    if (changedMs === this.#changedMs) return this;
    this.#changedMs = changedMs;
    this.#take(readProjects(this.#file));
    return this;
  }

  #take(projects: readonly Project[]): void {
    this.#projects = projects;
    this.#byKey = new Map(projects.map((project) => [project.publicKey, project]));
  }

  #write(projects: readonly Project[]): void {
    // Written to a temporary file and renamed. After a crash, the file is complete: the old one or the new one.
    const fresh = `${this.#file}.new`;
    const handle = openSync(fresh, "w", 0o600);
    writeSync(handle, `${JSON.stringify(projects, undefined, 2)}\n`);
    fsyncSync(handle);
    closeSync(handle);
    renameSync(fresh, this.#file);
    this.#take(projects);
  }
}

function newKey(): string {
  return randomBytes(16).toString("hex");
}

function readProjects(file: string): readonly Project[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  const list = readJson(Buffer.from(text), { jsonDepth: 9, jsonKeys: Number.MAX_SAFE_INTEGER });
  if (list.kind === "unreadable" || !Array.isArray(list.value) || !list.value.every(isProject))
    throw serviceErrors.unreadableProjects(file);
  return list.value;
}

function isProject(value: unknown): value is Project {
  const project: JsonObject = isObject(value) ? value : {};
  return Number.isSafeInteger(project.id) && typeof project.name === "string" && typeof project.publicKey === "string";
}
