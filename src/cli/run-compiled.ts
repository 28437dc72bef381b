import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
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
  /** The user of this process; undefined on systems without such numbers. */
  uid?: number | undefined;
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
  { folder = getCompileCacheDir, later = soon, uid = process.getuid?.() }: CompiledDeps = {},
): unknown {
  const source = readFileSync(file);
  const cache = cacheOf(file, folder(), uid);
  const code = cache && readKept(cache, source);
  // The first line opens the function that the build has put around the code.
  const script = new Script(source.toString("latin1"), {
    filename: name,
    lineOffset: -1,
    ...(code && { cachedData: code }),
  });
  const isFresh = code !== undefined && script.cachedDataRejected === false;
  if (cache && !isFresh) later(() => writeKept(cache, source, script.createCachedData()));
  return script.runInThisContext();
}

function soon(work: () => void): void {
  setTimeout(work, keptAfterMs).unref();
}

/** Where the compiled code of one script is kept. */
interface Cache {
  folder: string;
  file: string;
  uid: number | undefined;
}

/** Node makes its folder with the permissions that the user's umask leaves, so ours is one of its own inside of it. */
function cacheOf({ href }: URL, nodesFolder: string | undefined, uid: number | undefined): Cache | undefined {
  if (nodesFolder === undefined) return undefined;
  const folder = path.join(nodesFolder, "called");
  return { folder, file: path.join(folder, crc32(href).toString(16)), uid };
}

/**
 * Whether nobody but this user and root can have written it: V8 runs compiled code without a check, and checksums are
 * no secret. Windows says no owner; there, the folder of the package has the permissions of the package.
 */
function isOurs({ uid: owner, mode }: Stats, uid: number | undefined): boolean {
  return uid === undefined || ((owner === uid || owner === 0) && (mode & 0o022) === 0);
}

function isOurFolder({ folder, uid }: Cache): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && isOurs(found, uid);
}

/** Nothing where there is no file, or one that somebody else may have written. */
function readOurs(cache: Cache): Buffer | undefined {
  try {
    if (!isOurFolder(cache)) return undefined;
    // Windows has no such flag.
    const opened = openSync(cache.file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return isOurs(fstatSync(opened), cache.uid) ? readFileSync(opened) : undefined;
    } finally {
      closeSync(opened);
    }
  } catch {
    return undefined;
  }
}

/** V8 checks its version and the length of the source. A file that was cut or changed would end the process. */
function readKept(cache: Cache, source: Uint8Array): Buffer | undefined {
  const bytes = readOurs(cache);
  if (bytes === undefined) return undefined;
  const end = bytes.length - checksumBytes;
  if (end <= 0) return undefined;
  const code = bytes.subarray(0, end);
  const isWhole = bytes.readUInt32LE(end) === crc32(source) && bytes.readUInt32LE(end + 4) === crc32(code);
  return isWhole ? code : undefined;
}

function writeKept(cache: Cache, source: Uint8Array, code: Uint8Array): void {
  const checksums = Buffer.alloc(checksumBytes);
  checksums.writeUInt32LE(crc32(source), 0);
  checksums.writeUInt32LE(crc32(code), 4);
  const growing = `${cache.file}.${process.pid}`;
  try {
    mkdirSync(cache.folder, { recursive: true, mode: 0o700 });
    if (!isOurFolder(cache)) return;
    // A new file, so that no link is followed.
    writeFileSync(growing, Buffer.concat([code, checksums]), { flag: "wx", mode: 0o600 });
    renameSync(growing, cache.file);
  } catch {
    // On a disk that is full or read-only, the next start compiles again.
    removeIfThere(growing);
  }
}

/** A part of a file would stay for good, and one that an earlier process of this number has left is in the way. */
function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Nothing can be written there.
  }
}
