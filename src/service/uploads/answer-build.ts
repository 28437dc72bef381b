import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { readEventId } from "#protocol";
import { readUploadedCommits } from "./read-commits.ts";
import { type PermittedUpload, refusedUpload, type UploadAnswer, type UploadDeps } from "./upload-deps.ts";
import { readUploadJson } from "./upload-fields.ts";

const unpackMap = promisify(gunzip);

/** Who asks learns with this that the service takes the build of a Holdfast application. */
export const holdfastMark = { service: "holdfast" } as const;

const longestName = 200;

/**
 * An application names the maps and commits of its build. The answer names the maps that are missing. The second time
 * it is none, so everything happens once per build.
 */
export async function answerBuild(deps: UploadDeps, { project, body }: PermittedUpload): Promise<UploadAnswer> {
  const build = readUploadJson(body);
  const debugIds = build && readDebugIds(build.debugIds, deps.limits.files);
  if (build === undefined || debugIds === undefined)
    return refusedUpload(400, `A build is JSON with at most ${deps.limits.files} debugIds.`);
  const release = nameOf(build.release);
  const commits = readUploadedCommits(build.commits, deps.limits) ?? [];
  if (release !== undefined && commits.length > 0) await deps.store.addCommits(project.id, release, commits);
  const missing = await deps.store.missingMaps({ project: project.id, release: nameOf(build.build) }, debugIds);
  return { status: 200, body: { ...holdfastMark, missing } };
}

/** One map, compressed with gzip. `build` in the query names its build. */
export async function answerMap(
  { limits, store }: UploadDeps,
  { project, body, query }: PermittedUpload,
  debugId: string,
): Promise<UploadAnswer> {
  const map = await unpackMap(body, { maxOutputLength: limits.mapBytes }).catch(() => undefined);
  if (map === undefined)
    return refusedUpload(400, `A map is compressed with gzip and has at most ${limits.mapBytes} bytes.`);
  await store.addMaps({ project: project.id, release: nameOf(query.get("build")) }, [{ debugId, map }]);
  return { status: 200, body: holdfastMark };
}

function readDebugIds(value: unknown, most: number): string[] | undefined {
  if (!Array.isArray(value) || value.length > most) return undefined;
  const ids = value.flatMap((id) => readEventId(id) ?? []);
  return ids.length === value.length ? ids : undefined;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, longestName) : undefined;
}
