import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { chooseEncoding, constantHeaders, type Exchange } from "#http";
import { hostErrors } from "./errors.ts";

/**
 * Files of a build that browsers may fetch, by address. Only listed addresses are served: a request's path is never
 * turned into a path on disk.
 */
export interface BrowserFiles {
  build: string;
  /** Sends the file of this address. Returns false if there is none. */
  serve(incoming: IncomingMessage, response: ServerResponse): boolean;
}

export interface BrowserFile {
  path: string;
  file: string;
  type: string;
  encodings: readonly string[];
  immutable: boolean;
  hash?: string;
}

const endings: Readonly<Record<string, string>> = { br: ".br", gzip: ".gz", zstd: ".zst" };

export async function openBrowserFiles(dist: string): Promise<BrowserFiles> {
  const manifest = await readBrowserManifest(dist);
  // The newest build comes last, so that it wins where two builds have a file of the same name.
  const files = new Map([...manifest.earlier, ...manifest.own].map((file) => [file.path, file]));
  return {
    build: manifest.build,
    serve: (incoming, response) => {
      const file = files.get(filePathOf(incoming.url ?? ""));
      if (!file) return false;
      sendFile({ dist, build: manifest.build, file }, { incoming, response });
      return true;
    },
  };
}

export function filePathOf(url: string): string {
  const question = url.indexOf("?");
  return question < 0 ? url : url.slice(0, question);
}

/** Relative to the build folder. */
export function diskPathOf(file: BrowserFile, encoding: string | undefined): string {
  return file.file + (encoding ? (endings[encoding] ?? "") : "");
}

interface FileOfBuild {
  dist: string;
  build: string;
  file: BrowserFile;
}

function sendFile({ dist, build, file }: FileOfBuild, { incoming, response }: Exchange): void {
  if (incoming.method !== "GET" && incoming.method !== "HEAD") {
    response.writeHead(405, { Allow: "GET, HEAD", "Content-Length": "0" }).end();
    return;
  }
  const encoding = chooseEncoding(incoming.headers["accept-encoding"], file.encodings);
  const headers = fileHeaders(file);
  if (!file.immutable) {
    const tag = `"${file.hash ?? build}"`;
    headers.push("ETag", tag);
    if (incoming.headers["if-none-match"] === tag) {
      response.writeHead(304, headers).end();
      return;
    }
  }
  if (encoding) headers.push("Content-Encoding", encoding);
  response.writeHead(200, headers);
  if (incoming.method === "HEAD") {
    response.end();
    return;
  }
  const source = createReadStream(path.join(dist, diskPathOf(file, encoding)));
  // The headers are sent; a file that vanished can only end the response early.
  source.on("error", () => response.destroy());
  response.on("close", () => source.destroy());
  source.pipe(response);
}

export function fileHeaders(file: Pick<BrowserFile, "type" | "immutable">, encoding?: string): string[] {
  const cache = file.immutable ? "public, max-age=31536000, immutable" : "public, max-age=0, must-revalidate";
  const headers = [
    ...constantHeaders,
    "Content-Type",
    file.type,
    "Cache-Control",
    cache,
    "Vary",
    "Accept-Encoding",
    "Cross-Origin-Resource-Policy",
    "same-origin",
  ];
  if (encoding) headers.push("Content-Encoding", encoding);
  return headers;
}

/** Reads which files this build has, and which of earlier builds are kept beside them. */
export async function readBrowserManifest(
  dist: string,
): Promise<{ build: string; own: BrowserFile[]; earlier: BrowserFile[] }> {
  let text: string;
  try {
    text = await readFile(path.join(dist, "manifest.json"), "utf8");
  } catch {
    throw hostErrors.notBuilt(dist);
  }
  const manifest: unknown = JSON.parse(text);
  if (!isRecord(manifest) || typeof manifest.build !== "string")
    throw hostErrors.brokenBuild(dist, "manifest.json names no build");
  const earlier = Array.isArray(manifest.earlier)
    ? manifest.earlier.flatMap((one: unknown) => (isRecord(one) ? filesOf(one.files) : []))
    : [];
  return { build: manifest.build, own: filesOf(manifest.files), earlier };
}

function filesOf(list: unknown): BrowserFile[] {
  return Array.isArray(list) ? list.filter(isBrowserFile) : [];
}

function isBrowserFile(one: unknown): one is BrowserFile {
  return (
    isRecord(one) &&
    typeof one.path === "string" &&
    typeof one.file === "string" &&
    typeof one.type === "string" &&
    Array.isArray(one.encodings) &&
    typeof one.immutable === "boolean"
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
