import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "#errors";
import { isObject, type JsonObject, readJson } from "#protocol";
import { fileDocument, type SharedDocument } from "./documents/document.ts";
import { serviceErrors } from "./errors.ts";
import { type InboundFilter, isInboundFilter } from "./intake/filters.ts";
import { isProjectKey, keysOf, type ProjectKey } from "./intake/project-keys.ts";
import { isScrubRule, type ProjectScrubRule } from "./intake/scrub-rules.ts";
import { readSpikeRules, type SpikeRules } from "./intake/spike-rules.ts";

/** An application that sends reports. Clients require a numeric id. */
export interface Project {
  readonly id: number;
  readonly name: string;
  /** The main key: 32 hexadecimal characters. It permits sending, and asking for the public state of a digest. */
  readonly publicKey: string;
  /** Further keys, and what owners decided about the main one. */
  readonly keys?: readonly ProjectKey[];
  /** Items of each category in a minute, of all keys together. Undefined for no limit of its own. */
  readonly perMinute?: number;
  /** Reports that are not wanted. */
  readonly filters?: readonly InboundFilter[];
  /** What is taken out of reports, beside the secrets that the service knows. */
  readonly scrubRules?: readonly ProjectScrubRule[];
  /** What happens when far more errors arrive than usual. */
  readonly spike?: SpikeRules;
  /** Tokens that permit uploads: source maps and commits. */
  readonly uploadTokens?: readonly UploadToken[];
  /** Address of a line in the repository, with places to fill in: `https://…/{commit}/{file}#L{line}`. */
  readonly sourceLink?: string;
  /** Address of a new ticket, with places to fill in: `https://…/new?title={title}&body={body}`. */
  readonly ticketLink?: string;
  /** Who gets which issues. */
  readonly ownership?: ProjectOwnership;
  /** When it was deleted. Its entry stays, so that its id is not given to another. */
  readonly deletedAt?: number;
}

export interface ProjectOwnership {
  /** One rule in a line, as an owner of the project wrote them. */
  readonly rules: string;
  /** Whether owners must be people with an account. Without accounts, the application names its people. */
  readonly membersOnly: boolean;
}

/** A key of a project, also a disabled one. */
export interface KnownKey {
  readonly project: Project;
  readonly key: ProjectKey;
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
  #byKey: ReadonlyMap<string, KnownKey> = new Map();

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
    const first: Project = { id: 1, name: "My application", publicKey: newProjectKey() };
    await this.#change((projects) => (projects.length > 0 ? projects : [first]));
  }

  get all(): readonly Project[] {
    this.#readAgain("known");
    return this.#projects;
  }

  /** Finds a project by one of its keys. Undefined for a disabled one. */
  byKey(publicKey: string): Project | undefined {
    const known = this.findKey(publicKey);
    return known === undefined || known.key.isDisabled === true ? undefined : known.project;
  }

  findKey(publicKey: string): KnownKey | undefined {
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

  async add(name: string, publicKey: string = newProjectKey()): Promise<Project> {
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

  /** Replaces the main key. The old one stops working at once in this process, and within a second in others. */
  renewKey(id: number): Promise<void> {
    const publicKey = newProjectKey();
    return this.update(id, ({ publicKey: before, keys = [] }) => ({
      publicKey,
      keys: keys.map((key) => (key.publicKey === before ? { ...key, publicKey } : key)),
    }));
  }

  /** Sets the limit of a project, or ends it. */
  setPerMinute(id: number, perMinute: number | undefined): Promise<void> {
    return this.#change((projects) =>
      projects.map((project) => {
        if (project.id !== id) return project;
        const { perMinute: _, ...rest } = project;
        return perMinute === undefined ? rest : { ...rest, perMinute };
      }),
    );
  }

  /** Its key is refused from now on, and it is in no list. */
  remove(id: number, at: number): Promise<void> {
    return this.update(id, () => ({
      name: "",
      publicKey: newProjectKey(),
      keys: [],
      uploadTokens: [],
      // It names people.
      ownership: { rules: "", membersOnly: false },
      deletedAt: at,
    }));
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

  #take(all: readonly Project[]): void {
    const projects = all.filter(({ deletedAt }) => deletedAt === undefined);
    this.#projects = projects;
    this.#byKey = new Map(
      projects.flatMap((project) => keysOf(project).map((key) => [key.publicKey, { project, key }] as const)),
    );
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

export function newProjectKey(): string {
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
  return value.map((project) => (project.spike ? { ...project, spike: readSpikeRules(project.spike) } : project));
}

function isProject(value: unknown): value is Project {
  const project: JsonObject = isObject(value) ? value : {};
  const {
    uploadTokens = [],
    sourceLink = "",
    ticketLink = "",
    keys = [],
    perMinute = 1,
    filters = [],
    scrubRules = [],
    ownership = { rules: "", membersOnly: false },
  } = project;
  return (
    Number.isSafeInteger(project.id) &&
    typeof project.name === "string" &&
    typeof project.publicKey === "string" &&
    typeof sourceLink === "string" &&
    typeof ticketLink === "string" &&
    typeof perMinute === "number" &&
    Array.isArray(keys) &&
    keys.every(isProjectKey) &&
    Array.isArray(filters) &&
    filters.every(isInboundFilter) &&
    Array.isArray(scrubRules) &&
    scrubRules.every(isScrubRule) &&
    isOwnership(ownership) &&
    Array.isArray(uploadTokens) &&
    uploadTokens.every(isUploadToken)
  );
}

function isOwnership(value: unknown): value is ProjectOwnership {
  return isObject(value) && typeof value.rules === "string" && typeof value.membersOnly === "boolean";
}

function isUploadToken(value: unknown): value is UploadToken {
  const token: JsonObject = isObject(value) ? value : {};
  return typeof token.name === "string" && typeof token.hash === "string" && typeof token.createdAt === "number";
}
