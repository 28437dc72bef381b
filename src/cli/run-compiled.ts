import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import path from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/**
 * Time from the start until the compiled code is kept: what a start and its first responses call is compiled by then.
 * The compile cache is written at the same moment.
 */
const keptAfterMs = 2_000;

/** Behind the compiled code: checksums of the source and of the code. */
const checksumBytes = 8;

export interface CompiledDeps {
  /** Folder of what was compiled; undefined where there is none. */
  folder?: () => string | undefined;
  /** Calls `work` when what a start calls has been called. */
  later?: (work: () => void) => void;
}

/**
 * Runs a script and returns what it returns, a function. The functions that an earlier process has called are compiled
 * already: Node's compile cache has none of those, because it is made before the code runs.
 *
 * @param file of the package's own build, in ASCII
 * @param name in stack traces: the module whose code it is
 */
export function runCompiled(
  file: URL,
  name: string,
  { folder = getCompileCacheDir, later = soon }: CompiledDeps = {},
): unknown {
  const source = readFileSync(file);
  const cache = cacheFileOf(file, folder());
  const code = cache === undefined ? undefined : readKept(cache, source);
  // The first line opens the function that the build has put around the code.
  const script = new Script(source.toString("latin1"), {
    filename: name,
    lineOffset: -1,
    ...(code && { cachedData: code }),
  });
  const isFresh = code !== undefined && script.cachedDataRejected === false;
  if (cache !== undefined && !isFresh) later(() => writeKept(cache, source, script.createCachedData()));
  return script.runInThisContext();
}

function soon(work: () => void): void {
  setTimeout(work, keptAfterMs).unref();
}

function cacheFileOf({ href }: URL, folder: string | undefined): string | undefined {
  return folder === undefined ? undefined : path.join(folder, `${crc32(href).toString(16)}.called`);
}

/** V8 checks its version and the length of the source. A file that was cut or changed would end the process. */
function readKept(cache: string, source: Uint8Array): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(cache);
  } catch {
    return undefined;
  }
  const end = bytes.length - checksumBytes;
  if (end <= 0) return undefined;
  const code = bytes.subarray(0, end);
  const isWhole = bytes.readUInt32LE(end) === crc32(source) && bytes.readUInt32LE(end + 4) === crc32(code);
  return isWhole ? code : undefined;
}

function writeKept(cache: string, source: Uint8Array, code: Uint8Array): void {
  const checksums = Buffer.alloc(checksumBytes);
  checksums.writeUInt32LE(crc32(source), 0);
  checksums.writeUInt32LE(crc32(code), 4);
  const growing = `${cache}.${process.pid}`;
  try {
    mkdirSync(path.dirname(cache), { recursive: true });
    // Only its owner may write what the next start runs.
    writeFileSync(growing, Buffer.concat([code, checksums]), { mode: 0o600 });
    renameSync(growing, cache);
  } catch {
    // On a disk that is full or read-only, the next start compiles again.
  }
}
