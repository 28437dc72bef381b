import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "#errors";
import { isObject, type JsonObject, readJson } from "#protocol";
import { fileDocument, type SharedDocument } from "./documents/document.ts";
import { serviceErrors } from "./errors.ts";

/** An application that sends reports. Clients require a numeric id. */
export interface Project {
  readonly id: number;
  readonly name: string;
  /** 32 hexadecimal characters. It permits sending, and asking for the public state of a digest. */
  readonly publicKey: string;
  /** Tokens that permit uploads: source maps and commits. */
  readonly uploadTokens?: readonly UploadToken[];
  /** Address of a line in the repository, with places to fill in: `https://…/{commit}/{file}#L{line}`. */
  readonly sourceLink?: string;
}

/** A token for build tools. Only its hash is stored, so a reader of the file cannot use it. */
export interface UploadToken {
  readonly name: string;
  readonly hash: string;
  readonly createdAt: number;
}

const lookAgainMs = 1_000;

export const projectsFile = "projects.json";

/** Projects of a service, read from one small file of its data folder. */
export class Projects {
  readonly #document: SharedDocument;
  #projects: readonly Project[] = [];
  #byKey: ReadonlyMap<string, Project> = new Map();

  readonly #lookedAt = { known: Number.NEGATIVE_INFINITY, unknown: Number.NEGATIVE_INFINITY };
  #changedMs: number | undefined;

  constructor(document: SharedDocument) {
    this.#document = document;
    this.readNow();
  }

  /** Opens the projects of a data folder. The first start creates project 1. */
  static async open(folder: string): Promise<Projects> {
    const projects = new Projects(fileDocument(join(folder, projectsFile)));
    await projects.makeFirst();
    return projects;
  }

  /** Creates project 1 if there is no project, once for all processes. */
  async makeFirst(): Promise<void> {
    if (this.all.length > 0) return;
    const first: Project = { id: 1, name: "My application", publicKey: newKey() };
    await this.#change((projects) => (projects.length > 0 ? projects : [first]));
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
    return this.#withId(id) ?? this.#readAgain("unknown").#withId(id);
  }

  /** Finds a project by what only this one has. */
  find(matches: (project: Project) => boolean): Project | undefined {
    return this.all.find(matches) ?? this.#readAgain("unknown").#projects.find(matches);
  }

  async add(name: string, publicKey: string = newKey()): Promise<Project> {
    let project: Project = { id: 0, name, publicKey };
    await this.#change((projects) => {
      project = { id: Math.max(0, ...projects.map(({ id }) => id)) + 1, name, publicKey };
      return [...projects, project];
    });
    return project;
  }

  change(id: number, change: Partial<Omit<Project, "id">>): Promise<void> {
    return this.update(id, () => change);
  }

  /** The same for a change that depends on the project. The function may run again, if another process was faster. */
  update(id: number, changeOf: (project: Project) => Partial<Omit<Project, "id">>): Promise<void> {
    return this.#change((projects) =>
      projects.map((project) => (project.id === id ? { ...project, ...changeOf(project) } : project)),
    );
  }

  /** Replaces the key. The old one stops working at once in this process, and within a second in others. */
  renewKey(id: number): Promise<void> {
    return this.change(id, { publicKey: newKey() });
  }

  /** Reads the file, because it has changed. */
  readNow(): void {
    const { file } = this.#document;
    this.#changedMs = changedMsOf(file);
    this.#take(readProjects(file));
  }

  #withId(id: number): Project | undefined {
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
    if (changedMsOf(this.#document.file) !== this.#changedMs) this.readNow();
    return this;
  }

  #take(projects: readonly Project[]): void {
    this.#projects = projects;
    this.#byKey = new Map(projects.map((project) => [project.publicKey, project]));
  }

  async #change(change: (projects: readonly Project[]) => readonly Project[]): Promise<void> {
    const { file } = this.#document;
    // A broken file is not replaced.
    readProjects(file);
    await this.#document.change((before) => change(before === undefined ? [] : projectsIn(before, file)));
    this.readNow();
  }
}

function changedMsOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function newKey(): string {
  return randomBytes(16).toString("hex");
}

function readProjects(file: string): readonly Project[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
  const list = readJson(Buffer.from(text), { jsonDepth: 9, jsonKeys: Number.MAX_SAFE_INTEGER });
  return projectsIn(list.kind === "unreadable" ? undefined : list.value, file);
}

function projectsIn(value: unknown, file: string): readonly Project[] {
  if (!Array.isArray(value) || !value.every(isProject)) throw serviceErrors.unreadableProjects(file);
  return value;
}

function isProject(value: unknown): value is Project {
  const project: JsonObject = isObject(value) ? value : {};
  const { uploadTokens = [], sourceLink = "" } = project;
  return (
    Number.isSafeInteger(project.id) &&
    typeof project.name === "string" &&
    typeof project.publicKey === "string" &&
    typeof sourceLink === "string" &&
    Array.isArray(uploadTokens) &&
    uploadTokens.every(isUploadToken)
  );
}

function isUploadToken(value: unknown): value is UploadToken {
  const token: JsonObject = isObject(value) ? value : {};
  return typeof token.name === "string" && typeof token.hash === "string" && typeof token.createdAt === "number";
}
