import type { Server } from "node:http";

/**
 * Ends a server without cutting anyone off: takes no more connections, lets what is under way finish, tells keep-alive clients to go, and cuts only
 * what is left when time is up. Resolves with how it went.
 */
export async function stopServer(server: Server, withinMs: number): Promise<"finished" | "cut"> {
  const { promise: closed, resolve } = Promise.withResolvers<"finished" | "cut">();
  server.close(() => resolve("finished"));
  // A response that ends from now on takes its connection with it, instead of leaving it open for the next request.
  server.prependListener("request", (_incoming, response) => response.setHeader("Connection", "close"));
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  server.closeIdleConnections();
  const hard = setTimeout(() => {
    server.closeAllConnections();
    resolve("cut");
  }, withinMs);
  const how = await closed;
  clearInterval(idle);
  clearTimeout(hard);
  return how;
}
