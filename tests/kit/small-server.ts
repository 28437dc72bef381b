import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Visited } from "./journey.ts";

/** A minimal server, for tests of the kit itself and for servers that an application calls. */
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

/** Responds to each path with its page, and to unknown ones with 404. */
export function pages(byPath: Record<string, string>): RequestListener {
  return (asked, answer) => {
    const page = byPath[asked.url ?? "/"];
    answer.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    answer.end(`${head}<main>${page ?? "<h1>Not found</h1>"}</main></html>`);
  };
}
