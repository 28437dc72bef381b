import type { IncomingHttpHeaders } from "node:http";
import type { UploadedBuild, UploadedMap } from "../builds/add-build.ts";
import type { Project, Projects } from "../projects.ts";
import type { Commit } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { UploadChunks } from "./bundles/upload-chunks.ts";
import type { Deploys } from "./deploys.ts";
import type { UploadLimits } from "./limits.ts";

/** What a token with scopes permits, as far as uploads are concerned. */
export type UploadAdmission =
  | { readonly kind: "granted"; readonly mayUpload: (project: number) => boolean }
  | { readonly kind: "unknown" }
  | { readonly kind: "expired" }
  | { readonly kind: "wait"; readonly seconds: number };

/** The writer of the store, which is in another thread. */
export interface UploadStore {
  /** Marks the maps as part of the build. Resolves with those that are not stored. */
  missingMaps(build: UploadedBuild, debugIds: readonly string[]): Promise<readonly string[]>;
  addMaps(build: UploadedBuild, maps: readonly UploadedMap[]): Promise<void>;
  addCommits(project: number, release: string, commits: readonly Commit[]): Promise<void>;
}

/** What release tools list. */
export type ReleaseReader = Pick<StoreReader, "releases" | "commits">;

export interface UploadDeps {
  readonly projects: Projects;
  readonly limits: UploadLimits;
  readonly store: UploadStore;
  /** Opened by the first request for releases. */
  readonly reader: () => Promise<ReleaseReader>;
  /** Opened by the first upload of chunks. */
  readonly chunks: () => UploadChunks;
  readonly deploys: Deploys;
  readonly now: () => number;
  /** Admits a token with scopes, for a client with this network address. */
  readonly admit: (token: string, address: string) => Promise<UploadAdmission>;
}

/** A request whose token is known. */
export interface PermittedUpload {
  readonly project: Project;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The whole path as the client sent it, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

export interface UploadAnswer {
  readonly status: number;
  readonly body: object;
}

export function refusedUpload(status: number, why: string): UploadAnswer {
  // The tools print `detail`.
  return { status, body: { detail: why } };
}
