import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Visited } from "./journey.ts";

/** A server of a few lines, for tests of the kit itself and for peers that an application talks to. */
export async function serve(listener: RequestListener): Promise<Visited> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const head = `<!doctype html><html lang="en"><title>A page</title><meta name="viewport" content="width=device-width">`;

/** Answers each path with its page; an unknown one with 404. */
export function pages(byPath: Record<string, string>): RequestListener {
  return (asked, answer) => {
    const page = byPath[asked.url ?? "/"];
    answer.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    answer.end(`${head}<main>${page ?? "<h1>Not found</h1>"}</main></html>`);
  };
}
