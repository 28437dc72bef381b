import { createServer } from "node:http";

/** A service that accepts every envelope and stores none, so that the figures contain the cost of sending only. */
const server = createServer((request, response) => {
  request.resume().once("end", () => response.setHeader("content-type", "application/json").end("{}"));
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => process.send?.("listening"));
process.once("disconnect", () => process.exit());
