import { connect, createServer } from "node:net";

/**
 * Passes connections on to the port it is given. As few of them as possible wait to be taken: when this process is
 * stopped, the system soon lets every further attempt to connect go unanswered, as a network does that swallows
 * everything.
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
