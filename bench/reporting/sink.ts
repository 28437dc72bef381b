import { createServer } from "node:http";

/**
 * A service that takes every envelope and keeps none: what it costs to send them, and nothing of what it costs to keep
 * them.
 */
const server = createServer((request, response) => {
  request.resume().once("end", () => response.setHeader("content-type", "application/json").end("{}"));
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => process.send?.("listening"));
process.once("disconnect", () => process.exit());
