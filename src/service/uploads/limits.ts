import { readCount } from "../read-count.ts";

/** Limits of uploads. All of them hold for clients with a valid token only; others are refused before their body. */
export interface UploadLimits {
  /** A JSON request: the maps of a build by name, commits with their files, chunks of a bundle. */
  readonly jsonBytes: number;
  /** A body with maps or chunks as received. */
  readonly bodyBytes: number;
  /** One map, decompressed. Decoding it takes ten times as much memory; that of the largest applications has 30 MB. */
  readonly mapBytes: number;
  /** A bundle of `sentry-cli`, which is assembled in memory. Bundles of large applications have 30 MB. */
  readonly bundleBytes: number;
  /** All maps of one bundle, decompressed. Maps shrink to a fifth, so a honest bundle stays far below. */
  readonly inflatedBytes: number;
  /** Files in a bundle, and maps in a build. A large application has a thousand. */
  readonly files: number;
  /** Size of a chunk, and how many one request contains. Together they stay below `bodyBytes`. */
  readonly chunkBytes: number;
  readonly chunksPerRequest: number;
  /** Chunks that wait for their bundle. A client that was interrupted continues within this time. */
  readonly chunksMs: number;
  /** How long an assembled bundle is known by its checksum, so that it is not uploaded again. */
  readonly bundlesMs: number;
  /** Commits of one release, and files of one commit. More than people read, and than one change touches. */
  readonly commits: number;
  readonly filesPerCommit: number;
  /** Releases that are listed, the newest. A tool prints them on a terminal. */
  readonly releases: number;
  /** Deploys that are kept of each project. */
  readonly deploys: number;
  /** Requests at the same time, so that uploads leave memory and processor to reports. Further ones wait. */
  readonly atOnce: number;
  readonly waiting: number;
}

export const uploadLimits: UploadLimits = {
  jsonBytes: 2_097_152,
  bodyBytes: 16_777_216,
  mapBytes: 67_108_864,
  bundleBytes: 67_108_864,
  inflatedBytes: 536_870_912,
  files: 10_000,
  chunkBytes: 1_048_576,
  chunksPerRequest: 8,
  chunksMs: 3_600_000,
  bundlesMs: 86_400_000,
  commits: 200,
  filesPerCommit: 200,
  releases: 100,
  deploys: 100,
  atOnce: 2,
  waiting: 20,
};

/** Applies the operator's setting, `HOLDFAST_UPLOAD_BYTES`. */
export function uploadLimitsOf(env: NodeJS.ProcessEnv): UploadLimits {
  const bundleBytes = readCount(env, "HOLDFAST_UPLOAD_BYTES");
  return bundleBytes === undefined ? uploadLimits : { ...uploadLimits, bundleBytes };
}
