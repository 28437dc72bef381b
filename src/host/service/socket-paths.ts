import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { hasCode } from "#errors";
import { hostErrors } from "../errors.ts";

export interface SocketPathDeps {
  /** User id of this process; undefined on systems without one. */
  uid: number | undefined;
  platform: NodeJS.Platform;
  temporaryFolder: string;
}

const systemDeps: SocketPathDeps = {
  uid: process.getuid?.(),
  platform: process.platform,
  temporaryFolder: tmpdir(),
};

/** The smallest limit of all systems: 104 bytes on macOS, 108 on Linux, both with a terminating zero. */
const addressBytes = 103;

/**
 * Paths where the process with the service may listen, best first: the data folder, or, if its name is too long or it
 * cannot hold sockets, a folder of this user in the temporary folder.
 */
export function socketPaths(serviceFolder: string, deps: SocketPathDeps = systemDeps): string[] {
  const folder = path.resolve(serviceFolder);
  if (deps.platform === "win32") return [`\\\\.\\pipe\\holdfast-${sharedSecret(folder)}`];
  const paths = [
    path.join(folder, "socket", "service.sock"),
    path.join(deps.temporaryFolder, `holdfast-${deps.uid}`, `${shortName(folder)}.sock`),
  ];
  return paths.filter((socket) => Buffer.byteLength(socket) <= addressBytes);
}

/** Where each process with the same data folder may have a socket of its own. */
export interface PeerPlace {
  folder: string;
  /** The beginning of their names. */
  prefix: string;
}

/** The same folders, best first, if they have room for such a name. None on Windows, whose pipes have no folder. */
export function peerPlaces(serviceFolder: string, deps: SocketPathDeps = systemDeps): PeerPlace[] {
  if (deps.platform === "win32") return [];
  const folder = path.resolve(serviceFolder);
  const places = [
    { folder: path.join(folder, "socket"), prefix: "peer-" },
    { folder: path.join(deps.temporaryFolder, `holdfast-${deps.uid}`), prefix: `${shortName(folder)}-` },
  ];
  const name = (prefix: string): string => `${prefix}01234567.sock`;
  return places.filter((place) => Buffer.byteLength(path.join(place.folder, name(place.prefix))) <= addressBytes);
}

/** Creates the folder of a socket. Throws if another user owns it or could place a socket in it. */
export function makeSocketFolder(socket: string, deps: SocketPathDeps = systemDeps): void {
  if (deps.platform === "win32") return;
  mkdirSync(path.dirname(socket), { recursive: true, mode: 0o700 });
  checkSocketFolder(socket, deps);
}

/** Fails unless only this user can have created the socket: its owner receives reports and is trusted. */
export function checkSocketFolder(socket: string, { uid, platform }: SocketPathDeps = systemDeps): void {
  if (platform === "win32") return;
  const folder = path.dirname(socket);
  // `lstat`, because the owner of a link could redirect it.
  const found = lstatSync(folder);
  const isOurs = found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
  if (!isOurs) throw hostErrors.foreignSocket(folder);
}

function shortName(folder: string): string {
  return createHash("sha256").update(folder).digest("hex").slice(0, 16);
}

/**
 * A Windows pipe has no folder and no owner to check, so its name is a secret of those who can read the data folder.
 */
function sharedSecret(folder: string): string {
  const file = path.join(folder, "pipe");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(16).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  return readFileSync(file, "utf8");
}
