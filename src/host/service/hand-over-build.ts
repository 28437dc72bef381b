import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Dsn, envelopeUrl, isObject, readEventId } from "#protocol";
import { sendUpload, type UploadResponse } from "./send-upload.ts";

const pack = promisify(gzip);

export interface HandOverLimits {
  /** Reading and packing maps costs processor time, and the first visitors have priority. */
  readonly startAfterMs: number;
  readonly requestMs: number;
  /** Pause after the first failure. Each further one is twice as long. */
  readonly retryMs: number;
  readonly retryAtMostMs: number;
  readonly tries: number;
  /** So long reports wait for the maps. An error that is filed before them is grouped apart from later ones. */
  readonly reportsWaitMs: number;
}

/** Together, the tries take about half an hour: a service that is updated is back by then. */
export const handOverLimits: HandOverLimits = {
  startAfterMs: 250,
  requestMs: 30_000,
  retryMs: 1_000,
  retryAtMostMs: 300_000,
  tries: 14,
  reportsWaitMs: 10_000,
};

export interface HandOverOptions {
  readonly dsn: Dsn;
  readonly token: string;
  readonly folder: string;
  readonly build: string | undefined;
  /** A function, because reporting, which names it, opens later. */
  readonly release: () => string | undefined;
  readonly limits: HandOverLimits;
  readonly warn: (sentence: string) => void;
}

export interface HandOver {
  /** Resolves when the service has the build, when it will not get it, or when reports have waited long enough. */
  readonly settled: Promise<void>;
  /** Resolves with the result. */
  readonly ended: Promise<HandOverEnd>;
  close(): void;
}

export type HandOverEnd =
  | { kind: "done"; uploaded: number }
  /** Another service of the Sentry protocol, which has its own way for source maps. */
  | { kind: "left-alone" }
  | { kind: "refused"; why: string }
  | { kind: "given-up"; why: string };

/** Thrown for what may pass by itself. */
class PassingProblem extends Error {}

/**
 * Hands the source maps and commits of a build over to the Holdfast service that a DSN names, in the background. The
 * service asks for what it does not have, so everything is sent once, however often the application is started.
 */
export function handOverBuild(options: HandOverOptions): HandOver {
  const closing = new AbortController();
  const ended = attemptUntilEnded(options, closing.signal).catch(
    (error: unknown): HandOverEnd => ({ kind: "given-up", why: textOf(error) }),
  );
  void ended.then((end) => {
    if ("why" in end && !closing.signal.aborted) options.warn(warningOf(end.why, options.dsn));
  });
  const enough = wait(options.limits.reportsWaitMs, undefined, { ref: false, signal: closing.signal });
  return {
    settled: Promise.race([ended, enough]).then(
      () => undefined,
      () => undefined,
    ),
    ended,
    close: () => closing.abort(),
  };
}

function warningOf(why: string, { host }: Dsn): string {
  return `${host} did not take the source maps of this build, so its stacks stay unreadable there: ${why}`;
}

async function attemptUntilEnded(options: HandOverOptions, signal: AbortSignal): Promise<HandOverEnd> {
  const { startAfterMs, retryMs, retryAtMostMs, tries } = options.limits;
  await wait(startAfterMs, undefined, { ref: false, signal });
  for (let failures = 1; ; failures++) {
    try {
      return await attempt(options, signal);
    } catch (error) {
      if (!(error instanceof PassingProblem) || signal.aborted) throw error;
      if (failures >= tries) return { kind: "given-up", why: error.message };
    }
    await wait(Math.min(retryMs * 2 ** (failures - 1), retryAtMostMs), undefined, { ref: false, signal });
  }
}

async function attempt(options: HandOverOptions, signal: AbortSignal): Promise<HandOverEnd> {
  const { dsn, folder, build, limits } = options;
  const base = new URL(`../../0/builds/${dsn.project}/`, envelopeUrl(dsn));
  const request = async (url: URL, sent: { method: string; body?: Uint8Array; token?: string }) =>
    passing(await sendUpload(url, { ...sent, withinMs: limits.requestMs, signal }).catch(unreachable));
  // Without the token, which is for a Holdfast service only.
  const found = await request(base, { method: "GET" });
  if (found.status !== 200 || !isHoldfast(found)) return { kind: "left-alone" };
  const maps = await readMapNames(folder);
  const body = Buffer.from(
    JSON.stringify({
      build,
      release: options.release(),
      commits: await readCommitList(folder),
      debugIds: [...maps.keys()],
    }),
  );
  const announced = await request(base, { method: "POST", body, token: options.token });
  if (announced.status !== 200) return { kind: "refused", why: reasonOf(announced) };
  let uploaded = 0;
  for (const debugId of missingIn(announced)) {
    const file = maps.get(debugId);
    if (file === undefined) continue;
    const url = new URL(`${debugId}/?${new URLSearchParams(build === undefined ? {} : { build })}`, base);
    const answer = await request(url, { method: "PUT", body: await pack(await readFile(file)), token: options.token });
    if (answer.status !== 200) return { kind: "refused", why: reasonOf(answer) };
    uploaded += 1;
  }
  return { kind: "done", uploaded };
}

function unreachable(error: unknown): never {
  throw new PassingProblem(textOf(error));
}

/** Returns a response that is final. */
function passing(response: UploadResponse): UploadResponse {
  const { status } = response;
  if (status >= 500 || status === 429 || status === 408) throw new PassingProblem(reasonOf(response));
  return response;
}

/** Files of the maps by debug id: those of the browser are in `maps`, those of the server beside its chunks. */
async function readMapNames(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const part of ["maps", "server"]) {
    const entries = await readdir(path.join(folder, part), { withFileTypes: true, recursive: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile() || !entry.name.endsWith(".map")) continue;
      const file = path.join(entry.parentPath, entry.name);
      const debugId = debugIdIn(await readFile(file));
      if (debugId !== undefined) found.set(debugId, file);
    }
  }
  return found;
}

/** Found by its text: parsing large maps would delay pages. In a source inside the map, its quotes are escaped. */
const debugIdKey = '"debug_id":"';

function debugIdIn(map: Buffer): string | undefined {
  const at = map.lastIndexOf(debugIdKey);
  if (at < 0) return undefined;
  const from = at + debugIdKey.length;
  return readEventId(map.toString("latin1", from, map.indexOf('"', from)));
}

/** The service checks each. */
async function readCommitList(folder: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path.join(folder, "commits.json"), "utf8"));
  } catch {
    // Built outside of a repository.
    return [];
  }
}

function isHoldfast({ body }: UploadResponse): boolean {
  return isObject(body) && body.service === "holdfast";
}

function missingIn({ body }: UploadResponse): string[] {
  const missing = isObject(body) ? body.missing : undefined;
  return Array.isArray(missing) ? missing.flatMap((id) => readEventId(id) ?? []) : [];
}

function reasonOf({ status, body }: UploadResponse): string {
  return isObject(body) && typeof body.detail === "string" ? body.detail : `it answered ${status}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
