import { once } from "node:events";
import type { Server } from "node:http";
import { hostErrors } from "./errors.ts";

/** Listens on the port, or on the next free one where that is allowed. */
export async function listenOn(
  server: Server,
  wanted: { port: number; host: string; nextFreePort: boolean },
  tries: number,
): Promise<void> {
  const last = wanted.nextFreePort && wanted.port !== 0 ? Math.min(wanted.port + tries, 65_535) : wanted.port;
  for (let port = wanted.port; port <= last; port++) {
    try {
      server.listen(port, wanted.host);
      await once(server, "listening");
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    }
  }
  throw hostErrors.noFreePort(wanted.port, last);
}
