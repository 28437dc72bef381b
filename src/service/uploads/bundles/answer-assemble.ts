import { createHash } from "node:crypto";
import { isObject, readEventId } from "#protocol";
import type { UploadedBuild } from "../../builds/add-build.ts";
import { type PermittedUpload, refusedUpload, type UploadAnswer, type UploadDeps } from "../upload-deps.ts";
import { anotherProject, namedProjects, namesProject, readUploadJson } from "../upload-fields.ts";
import { readZip, type ZipEntry } from "./read-zip.ts";

const sha1 = /^[0-9a-f]{40}$/;

/**
 * Assembles a bundle from its chunks and stores the maps in it. The client calls it before the upload, to learn which
 * chunks are missing, and after it until the answer is final.
 */
export async function answerAssemble(deps: UploadDeps, { project, body }: PermittedUpload): Promise<UploadAnswer> {
  const request = readUploadJson(body);
  const checksum = request?.checksum;
  const hashes = request?.chunks;
  if (request === undefined || !isHash(checksum) || !Array.isArray(hashes) || !hashes.every(isHash))
    return refusedUpload(400, "A bundle needs the SHA-1 of itself and of its chunks.");
  const named = [...namedProjects(request.projects), ...(request.project === undefined ? [] : [request.project])];
  const other = named.find((name) => !namesProject(project, name));
  if (other !== undefined) return refusedUpload(403, anotherProject(project, other));
  const { limits, now } = deps;
  if (hashes.length * limits.chunkBytes > limits.bundleBytes + limits.chunkBytes)
    return assembleState("error", `A bundle has at most ${limits.bundleBytes} bytes.`);
  const chunks = deps.chunks();
  if (await chunks.isAssembled(project.id, checksum, now())) return assembleState("ok");
  const missing = await chunks.missing(project.id, hashes);
  if (missing.length > 0) return assembleState("not_found", undefined, missing);
  const bundle = await chunks.joined(project.id, hashes);
  const release = typeof request.version === "string" && request.version !== "" ? request.version : undefined;
  const problem =
    bundle === undefined || createHash("sha1").update(bundle).digest("hex") !== checksum
      ? `The bundle is larger than ${limits.bundleBytes} bytes, or not what its checksum says.`
      : await storeBundle(deps, { project: project.id, release }, bundle);
  await chunks.assembled(project.id, hashes, problem === undefined ? { checksum, now: now() } : undefined);
  return problem === undefined ? assembleState("ok") : assembleState("error", problem);
}

/** Stores the maps of a bundle, one after the other. Returns the problem if it is unusable. */
async function storeBundle(
  { limits, store }: UploadDeps,
  build: UploadedBuild,
  bundle: Buffer,
): Promise<string | undefined> {
  const zip = readZip(bundle, limits.files);
  if (zip.kind === "unreadable") return `The bundle cannot be read: ${zip.why}.`;
  const maps = await mapsIn(zip.entries, limits.jsonBytes);
  if (maps === undefined) return "The bundle has no manifest.";
  if (maps.length === 0) return withoutIds;
  if (maps.some(({ entry }) => entry.bytes > limits.mapBytes))
    return `A source map in the bundle has more than ${limits.mapBytes} bytes.`;
  if (maps.reduce((sum, { entry }) => sum + entry.bytes, 0) > limits.inflatedBytes)
    return `The source maps of the bundle have more than ${limits.inflatedBytes} bytes.`;
  for (const { debugId, entry } of maps) {
    const map = await entry.read();
    if (map === undefined) return `The file ${entry.name.slice(0, 200)} in the bundle is damaged.`;
    await store.addMaps(build, [{ debugId, map }]);
  }
  return undefined;
}

const withoutIds =
  "No source map in the upload has a debug id. Run `sentry-cli sourcemaps inject` on the build first, and deploy the changed files.";

/** Finds the maps by the manifest. Undefined if there is none. */
async function mapsIn(
  entries: ReadonlyMap<string, ZipEntry>,
  manifestBytes: number,
): Promise<{ debugId: string; entry: ZipEntry }[] | undefined> {
  const listed = entries.get("manifest.json");
  if (listed === undefined || listed.bytes > manifestBytes) return undefined;
  const manifest = readUploadJson((await listed.read()) ?? Buffer.alloc(0));
  if (manifest === undefined || !isObject(manifest.files)) return undefined;
  return Object.entries(manifest.files).flatMap(([name, file]) => {
    const entry = entries.get(name);
    if (entry === undefined || !isObject(file) || file.type !== "source_map") return [];
    const debugId = isObject(file.headers) ? readEventId(debugIdIn(file.headers)) : undefined;
    return debugId === undefined ? [] : [{ debugId, entry }];
  });
}

function debugIdIn(headers: Readonly<Record<string, unknown>>): unknown {
  const name = Object.keys(headers).find((each) => each.toLowerCase() === "debug-id");
  return name === undefined ? undefined : headers[name];
}

type State = "ok" | "not_found" | "assembling" | "error";

export function assembleState(state: State, detail?: string, missingChunks: readonly string[] = []): UploadAnswer {
  return { status: 200, body: { state, missingChunks, detail: detail ?? null } };
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && sha1.test(value);
}
