import { serviceErrors } from "../errors.ts";
import type { SourceMapFile } from "../stores/records.ts";
import type { Store } from "../stores/store.ts";
import { readBuildCommits } from "./read-build-commits.ts";
import { readBuildMaps } from "./read-build-maps.ts";
import { type FixingRelease, resolveFixed } from "./resolve-fixed.ts";

/** A map as it was uploaded: JSON that is not parsed yet. */
export interface UploadedMap {
  readonly debugId: string;
  readonly map: Uint8Array;
}

/** The build that maps belong to. */
export interface UploadedBuild {
  readonly project: number;
  readonly release: string | undefined;
}

export interface AddBuildDeps {
  readonly store: Pick<Store, "addSourceMap" | "addCommits" | "issue" | "history" | "change">;
  readonly now: () => number;
  /** Stored bytes of the maps of one build. */
  readonly mostBytes: () => number;
  /** Called with the bytes of each stored map. */
  readonly onStored: (bytes: number) => Promise<void>;
}

/** Builds whose sizes are remembered. More are not uploaded at the same time. */
const builds = 20;

/** Stores source maps and commits of builds, from their folder or uploaded one after the other. */
export class BuildFiles {
  readonly #deps: AddBuildDeps;
  /** Stored bytes by debug id: a map that is uploaded again counts once. */
  readonly #sizes = new Map<string, Map<string, number>>();

  constructor(deps: AddBuildDeps) {
    this.#deps = deps;
  }

  /** Throws if the maps take more than one build may. */
  async addFolder(project: number, buildFolder: string, release: string | undefined): Promise<void> {
    const commits = readBuildCommits(buildFolder);
    if (release !== undefined && commits.length > 0) await this.addCommits({ project, release, commits });
    const addedAt = this.#deps.now();
    const sizes = new Map<string, number>();
    for (const map of readBuildMaps(buildFolder, project)) await this.#add({ ...map, addedAt }, sizes);
  }

  /** Stores the commits of a release, and resolves the issues that they fix. */
  async addCommits({ project, release, commits }: FixingRelease): Promise<void> {
    const { store, now } = this.#deps;
    await store.addCommits(project, release, commits);
    await resolveFixed(store, { project, release, commits }, now());
  }

  /** The same for uploaded maps, of which more may follow. */
  async addUploaded({ project, release }: UploadedBuild, maps: readonly UploadedMap[]): Promise<void> {
    const addedAt = this.#deps.now();
    const sizes = this.#sizesOf(`${project} ${release ?? ""}`);
    for (const { debugId, map } of maps)
      await this.#add({ project, debugId, release, map: Buffer.from(map).toString("utf8"), addedAt }, sizes);
  }

  async #add(map: SourceMapFile, sizes: Map<string, number>): Promise<void> {
    const { store, mostBytes, onStored } = this.#deps;
    sizes.delete(map.debugId);
    const taken = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    const bytes = await store.addSourceMap(map, mostBytes() - taken);
    if (bytes === undefined) throw serviceErrors.buildTooLarge(Math.floor(mostBytes()));
    sizes.set(map.debugId, bytes);
    await onStored(bytes);
  }

  #sizesOf(build: string): Map<string, number> {
    const sizes = this.#sizes.get(build) ?? new Map<string, number>();
    this.#sizes.delete(build);
    this.#sizes.set(build, sizes);
    const oldest = this.#sizes.keys().next();
    if (this.#sizes.size > builds && !oldest.done) this.#sizes.delete(oldest.value);
    return sizes;
  }
}
