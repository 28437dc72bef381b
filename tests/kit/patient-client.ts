import { connect } from "node:net";

export interface Said {
  /** Everything that the server sent until it closed the connection. */
  text: string;
  /** Whether the client was told to send its body. */
  isContinued: boolean;
}

/** A client that waits for `100 Continue`, as curl and PHP do for large bodies. It sends its body only then. */
export function sendWhenTold(port: number, path: string, body: string, headers: readonly string[] = []): Promise<Said> {
  const { promise, resolve } = Promise.withResolvers<Said>();
  const socket = connect(port, "127.0.0.1");
  const said = { text: "", isContinued: false };
  const head = [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Content-Length: ${body.length}`, ...headers];
  socket.write([...head, "Expect: 100-continue", "", ""].join("\r\n"));
  socket.setEncoding("latin1").on("data", (chunk) => {
    said.text += chunk;
    if (!said.isContinued && said.text.startsWith("HTTP/1.1 100")) {
      said.isContinued = true;
      socket.write(body);
      // Another request on the same connection, and the last one.
      socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    }
  });
  socket.on("close", () => resolve(said));
  return promise;
}
