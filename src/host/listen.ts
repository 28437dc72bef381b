import { once } from "node:events";
import type { Server } from "node:http";
import { hostErrors } from "./errors.ts";

/** Listens on the port, or on the next free one where `nextFreePort` is set. */
export async function listenOn(
  server: Server,
  wanted: { port: number; host: string; nextFreePort: boolean },
  tries: number,
): Promise<void> {
  const last = wanted.nextFreePort && wanted.port !== 0 ? Math.min(wanted.port + tries, 65_535) : wanted.port;
  let { port, host } = wanted;
  while (port <= last) {
    const problem = await tryToListen(server, port, host);
    if (problem === undefined) return;
    // A minimal system has no /etc/hosts. RFC 6761 reserves these names for the loopback address.
    if (isUnknownName(problem) && isLocalhost(host)) host = "127.0.0.1";
    else if (problem === "EADDRINUSE") port += 1;
    else throw hostErrors.cannotListen(host, port, problem);
  }
  throw hostErrors.noFreePort(wanted.port, last);
}

/** @returns the system's error code; undefined when the server listens. */
async function tryToListen(server: Server, port: number, host: string): Promise<string | undefined> {
  try {
    server.listen(port, host);
    await once(server, "listening");
    return undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
    throw error;
  }
}

/** EAI_AGAIN: no name server answered. */
function isUnknownName(problem: string): boolean {
  return problem === "ENOTFOUND" || problem === "EAI_AGAIN";
}

function isLocalhost(host: string): boolean {
  return /^(?:.+\.)?localhost$/i.test(host);
}
