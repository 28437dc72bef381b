import { connect, createServer } from "node:net";

/**
 * Forwards connections to the given port, with the smallest backlog. When this process is stopped, the system soon
 * leaves every further connection attempt without a response, like a network that drops all packets.
 */
const target = Number(process.argv[2]);
const server = createServer((near) => {
  const far = connect(target, "127.0.0.1");
  near.pipe(far).pipe(near);
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroy());
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  const address = server.address();
  if (typeof address === "object") console.log(address?.port);
});
