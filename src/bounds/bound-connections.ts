import type { Server, Socket } from "node:net";
import { ClientCounts } from "./client-counts.ts";
import type { Refusals } from "./refusals.ts";
import { isOwnNetwork, sourceOf, withoutMapping } from "./source-of.ts";

export interface ConnectionBounds {
  /** Limit of all connections. */
  readonly connections: number;
  /** Limit of one client. */
  readonly connectionsPerClient: number;
  readonly refusals: Refusals;
  /** Whether many clients share an address, as behind a proxy. */
  readonly isShared?: (address: string) => boolean;
}

/** Closes connections over the limits as soon as they open. */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const { connections, connectionsPerClient, refusals, isShared = isOwnNetwork } = bounds;
  const counts = new ClientCounts(connectionsPerClient);
  server.maxConnections = connections;
  server.on("drop", () => refusals.add("connections"));
  server.on("connection", (socket: Socket) => {
    const address = withoutMapping(socket.remoteAddress ?? "");
    if (isShared(address)) return;
    const source = sourceOf(address);
    if (!counts.enter(source)) {
      refusals.add("connections");
      socket.destroy();
      return;
    }
    socket.once("close", () => counts.leave(source));
  });
}
