import { randomBytes } from "node:crypto";
import { isObject } from "#protocol";
import { readDocument, type SharedDocument } from "../documents/document.ts";
import { readCount } from "../read-count.ts";

export const searchesFile = "searches.json";

/** Screens whose search can be saved. */
export const searchScreens = ["issues", "logs", "spans"] as const;
export type SearchScreen = (typeof searchScreens)[number];

/** The search of a screen under a name, of one person or for everyone in the project. */
export interface SavedSearch {
  readonly id: string;
  readonly project: number;
  /** Undefined if it is shared. */
  readonly owner: string | undefined;
  readonly screen: SearchScreen;
  readonly name: string;
  /** As in the address, without the question mark. */
  readonly search: string;
}

export interface SavedSearchLimits {
  /** Of one person in a project, and shared in a project. A longer menu is no help. */
  readonly each: number;
  /** In the whole document, which is read with every screen: about 2 MB. */
  readonly all: number;
  readonly nameLength: number;
  readonly searchLength: number;
}

export const savedSearchLimits: SavedSearchLimits = { each: 50, all: 5_000, nameLength: 60, searchLength: 2_000 };

/** Applies the operator's setting, `HOLDFAST_SAVED_SEARCHES`. */
export function savedSearchLimitsOf(env: NodeJS.ProcessEnv): SavedSearchLimits {
  return { ...savedSearchLimits, each: readCount(env, "HOLDFAST_SAVED_SEARCHES") ?? savedSearchLimits.each };
}

export type SaveOutcome =
  | { kind: "saved"; saved: SavedSearch }
  | { kind: "unnamed" }
  | { kind: "too-long" }
  /** There are as many as may be. */
  | { kind: "full"; most: number };

/** All saved searches, in one document that all processes share. */
export class SavedSearches {
  readonly #document: SharedDocument;
  readonly #limits: SavedSearchLimits;

  constructor(document: SharedDocument, limits: SavedSearchLimits = savedSearchLimits) {
    this.#document = document;
    this.#limits = limits;
  }

  /** Those of a person and the shared ones of a project, in the order of their names. */
  of(project: number, person: string): readonly SavedSearch[] {
    return searchesIn(readDocument(this.#document.file))
      .filter((one) => one.project === project && (one.owner === undefined || one.owner === person))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** One with the same name, owner and screen is replaced. */
  async save(wish: Omit<SavedSearch, "id">): Promise<SaveOutcome> {
    const problem = this.#problemOf(wish);
    if (problem !== undefined) return problem;
    let outcome: SaveOutcome = { kind: "full", most: this.#limits.each };
    await this.#document.change((before) => {
      const known = searchesIn(before);
      const others = known.filter((one) => !isSameName(one, wish));
      const own = others.filter(({ project, owner }) => project === wish.project && owner === wish.owner);
      if (own.length >= this.#limits.each || others.length >= this.#limits.all) return before;
      const { id } = known.find((one) => isSameName(one, wish)) ?? { id: randomBytes(8).toString("hex") };
      const saved = { ...wish, id };
      outcome = { kind: "saved", saved };
      return [...others, saved];
    });
    return outcome;
  }

  /** Resolves with the search as it was. Undefined if the person has none with this id. */
  async rename(at: SearchPlace, name: string): Promise<SavedSearch | undefined> {
    let renamed: SavedSearch | undefined;
    const wanted = name.trim().slice(0, this.#limits.nameLength);
    if (wanted === "") return undefined;
    await this.#document.change((before) => {
      const known = searchesIn(before);
      renamed = known.find((one) => isAt(one, at));
      const target = renamed && { ...renamed, name: wanted };
      if (target === undefined) return before;
      return [...known.filter((one) => one.id !== target.id && !isSameName(one, target)), target];
    });
    return renamed;
  }

  async remove(at: SearchPlace): Promise<SavedSearch | undefined> {
    let removed: SavedSearch | undefined;
    await this.#document.change((before) => {
      const known = searchesIn(before);
      removed = known.find((one) => isAt(one, at));
      return removed === undefined ? before : known.filter((one) => one !== removed);
    });
    return removed;
  }

  #problemOf({ name, search }: Omit<SavedSearch, "id">): SaveOutcome | undefined {
    if (name.trim() === "") return { kind: "unnamed" };
    const { nameLength, searchLength } = this.#limits;
    return name.length > nameLength || search.length > searchLength ? { kind: "too-long" } : undefined;
  }
}

/** A search that this person sees. */
export interface SearchPlace {
  project: number;
  person: string;
  id: string;
}

function isAt(one: SavedSearch, { project, person, id }: SearchPlace): boolean {
  return one.id === id && one.project === project && (one.owner === undefined || one.owner === person);
}

function isSameName(one: SavedSearch, other: Omit<SavedSearch, "id">): boolean {
  return (
    one.project === other.project && one.owner === other.owner && one.screen === other.screen && one.name === other.name
  );
}

function searchesIn(value: unknown): SavedSearch[] {
  return Array.isArray(value) ? value.flatMap((one) => readSaved(one) ?? []) : [];
}

/** Returns undefined for anything that this version has not written. */
function readSaved(value: unknown): SavedSearch | undefined {
  if (!isObject(value)) return undefined;
  const { id, project, owner, name, search } = value;
  const screen = searchScreens.find((one) => one === value.screen);
  if (typeof id !== "string" || typeof project !== "number" || typeof name !== "string") return undefined;
  if (typeof search !== "string" || screen === undefined) return undefined;
  return { id, project, owner: typeof owner === "string" ? owner : undefined, screen, name, search };
}
