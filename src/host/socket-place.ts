import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { hostErrors } from "./errors.ts";

export interface SocketPlaceDeps {
  /** The user of this process; nothing on systems without such numbers. */
  uid: number | undefined;
  platform: NodeJS.Platform;
  temporaryFolder: string;
}

const systemDeps: SocketPlaceDeps = {
  uid: process.getuid?.(),
  platform: process.platform,
  temporaryFolder: tmpdir(),
};

/** The shortest bound of the systems: 104 bytes on macOS, 108 on Linux, both with a closing zero. */
const addressBytes = 103;

/**
 * Where the process with the service may listen, the better place first: in the data folder, or, where that has too
 * long a name or cannot hold sockets, in a folder of this user below the one for temporary files.
 */
export function socketPlaces(serviceFolder: string, deps: SocketPlaceDeps = systemDeps): string[] {
  const folder = path.resolve(serviceFolder);
  if (deps.platform === "win32") return [`\\\\.\\pipe\\holdfast-${sharedSecret(folder)}`];
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  const places = [
    path.join(folder, "socket", "service.sock"),
    path.join(deps.temporaryFolder, `holdfast-${deps.uid}`, `${name}.sock`),
  ];
  return places.filter((place) => Buffer.byteLength(place) <= addressBytes);
}

/** Makes the folder of a socket. Fails where another user has made it, or could put a socket of their own into it. */
export function makeSocketFolder(socket: string, deps: SocketPlaceDeps = systemDeps): void {
  if (deps.platform === "win32") return;
  mkdirSync(path.dirname(socket), { recursive: true, mode: 0o700 });
  checkSocketFolder(socket, deps);
}

/** Fails unless only this user can have created the socket: its owner receives reports and is trusted. */
export function checkSocketFolder(socket: string, { uid, platform }: SocketPlaceDeps = systemDeps): void {
  if (platform === "win32") return;
  const folder = path.dirname(socket);
  // Not through a link, which its owner could turn elsewhere.
  const found = lstatSync(folder);
  const isOurs = found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
  if (!isOurs) throw hostErrors.foreignSocket(folder);
}

/** A pipe has no folder and no owner to ask for, so its name is a secret of those who can read the data folder. */
function sharedSecret(folder: string): string {
  const file = path.join(folder, "pipe");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(16).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return readFileSync(file, "utf8");
}
