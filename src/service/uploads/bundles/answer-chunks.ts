import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type PermittedUpload, refusedUpload, type UploadAnswer, type UploadDeps } from "../upload-deps.ts";
import { type FormPart, readFormParts } from "./read-form-parts.ts";
import type { UploadedChunk } from "./upload-chunks.ts";

const unpackChunk = promisify(gunzip);

/** Says how to upload. */
export function chunkOptions({ limits }: UploadDeps, upload: PermittedUpload, organization: string): UploadAnswer {
  return {
    status: 200,
    body: {
      url: chunkAddress(upload, organization),
      chunkSize: limits.chunkBytes,
      chunksPerRequest: limits.chunksPerRequest,
      maxFileSize: limits.bundleBytes,
      maxRequestSize: limits.bodyBytes,
      concurrency: limits.atOnce,
      hashAlgorithm: "sha1",
      compression: ["gzip"],
      accept: ["artifact_bundles", "artifact_bundles_v2", "release_files"],
    },
  };
}

/**
 * `sentry-cli` takes an address that is relative to the one it knows, so it works behind any proxy. Other clients, such
 * as that of the Vite plugin, need the host. What a proxy says of it may be trusted: the client itself gets the answer.
 */
function chunkAddress({ headers, path }: PermittedUpload, organization: string): string {
  if (/^sentry-cli\/[\d.]+$/.test(headers["user-agent"] ?? ""))
    return `/organizations/${encodeURIComponent(organization)}/chunk-upload/`;
  const scheme = headers["x-forwarded-proto"] === "https" ? "https" : "http";
  const host = headers["x-forwarded-host"] ?? headers.host ?? "localhost";
  return `${scheme}://${String(host)}${path}`;
}

/** Keeps chunks until their bundle is assembled. The name of each is the hash of its content. */
export async function answerChunks(deps: UploadDeps, upload: PermittedUpload): Promise<UploadAnswer> {
  const { limits, chunks, now } = deps;
  const parts = readFormParts(upload.body, upload.headers["content-type"] ?? "", limits.chunksPerRequest);
  if (parts === undefined)
    return refusedUpload(400, `Chunks are parts of a form, at most ${limits.chunksPerRequest} in a request.`);
  const read: UploadedChunk[] = [];
  for (const part of parts) {
    const chunk = await readChunk(part, limits.chunkBytes);
    if (chunk === undefined)
      return refusedUpload(400, "A chunk is larger than allowed, or its name is not the SHA-1 of its content.");
    read.push(chunk);
  }
  const outcome = await chunks().add(upload.project.id, read, now());
  if (outcome.kind === "no-room")
    return refusedUpload(
      413,
      `Chunks of this project take more than ${outcome.bytes} bytes. They are deleted in an hour.`,
    );
  return { status: 200, body: {} };
}

async function readChunk({ name, filename, content }: FormPart, mostBytes: number): Promise<UploadedChunk | undefined> {
  const plain =
    name === "file_gzip" ? await unpackChunk(content, { maxOutputLength: mostBytes }).catch(() => undefined) : content;
  if (plain === undefined || plain.length > mostBytes) return undefined;
  const hash = createHash("sha1").update(plain).digest("hex");
  return hash === filename?.toLowerCase() ? { hash, content: plain } : undefined;
}
