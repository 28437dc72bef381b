import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { constantHeaders, withChanges } from "#http";
import type { LeaveFile } from "#pages";
import { hostErrors } from "./errors.ts";
import { createFileHeaders, type FileSettings, type HeadersFor, resourcePolicy } from "./header-rules.ts";
import { type BrowserFile, type SentFiles, StoredFile } from "./stored-file.ts";

/**
 * Files of a build that browsers may fetch, by address. Only listed addresses are served: a request's path is never
 * turned into a path on disk.
 */
export interface BrowserFiles {
  build: string;
  /** Address of the CDN that the build names in its files. */
  assets?: string | undefined;
  /** Whether a file has this address. */
  has(url: string): boolean;
  /** Sends the file of this address, with the headers as `leave` changes them. Returns false if there is none. */
  serve(incoming: IncomingMessage, response: ServerResponse, leave?: LeaveFile): boolean;
}

interface ListedFile {
  served: StoredFile;
  /** Its headers, written at its first request, and sent with all. */
  own: readonly string[] | undefined;
}

/** `cache`: files that stay in memory. Without it, each request reads its file. */
export async function openBrowserFiles(
  dist: string,
  settings: FileSettings = {},
  cache?: SentFiles,
): Promise<BrowserFiles> {
  const manifest = await readBrowserManifest(dist);
  // Builds of older versions do not say it.
  const { build, assets = settings.assets } = manifest;
  const headersFor = createFileHeaders({ ...settings, assets });
  // The newest build comes last, so that it wins where two builds have a file of the same name.
  const files = new Map(
    [...manifest.earlier, ...manifest.own].map((file): [string, ListedFile] => [
      file.path,
      { served: new StoredFile(file, { dist, build, cache }), own: undefined },
    ]),
  );
  return {
    build,
    assets,
    has: (url) => files.has(filePathOf(url)),
    serve: (incoming, response, leave) => {
      const found = files.get(filePathOf(incoming.url ?? ""));
      if (!found) return false;
      const { served } = found;
      found.own ??= fileHeaders(served.file, headersFor);
      const { own } = found;
      const exchange = { incoming, response };
      const sendWith = (headers: readonly string[] | "answered"): void => {
        if (headers !== "answered") served.send(exchange, headers, headers === own);
      };
      const left = leave ? leave(exchange, own) : own;
      if (left instanceof Promise) void left.then(sendWith);
      else sendWith(left);
      return true;
    },
  };
}

export function filePathOf(url: string): string {
  const question = url.indexOf("?");
  return question < 0 ? url : url.slice(0, question);
}

/** A file whose name has its hash keeps its `Cache-Control`: it never changes. */
export function fileHeaders(
  { path: address, type, immutable }: Pick<BrowserFile, "path" | "type" | "immutable">,
  headersFor?: HeadersFor,
): string[] {
  const changes = new Map(headersFor?.(address));
  if (immutable) changes.delete("cache-control");
  const cache = immutable ? "public, max-age=31536000, immutable" : "public, max-age=0, must-revalidate";
  const defaults = [...constantHeaders, "Cache-Control", cache, ...resourcePolicy];
  return [...withChanges(defaults, changes), "Content-Type", type, "Vary", "Accept-Encoding"];
}

/** Reads which files this build has, and which of earlier builds are kept beside them. */
export async function readBrowserManifest(
  dist: string,
): Promise<{ build: string; assets: string | undefined; own: BrowserFile[]; earlier: BrowserFile[] }> {
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
  const assets = typeof manifest.assets === "string" ? manifest.assets : undefined;
  return { build: manifest.build, assets, own: filesOf(manifest.files), earlier };
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
