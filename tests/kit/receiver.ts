import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { serve } from "./small-server.ts";
import { readStrictly, type StrictItem } from "./strict-protocol.ts";

/** One item of an envelope as it arrived. */
export type ReceivedItem = StrictItem;

/** A minimal service of the protocol. It refuses everything that the specification does not allow. */
export interface Receiver {
  /** For an application's `report.dsn`. */
  dsn: string;
  items: ReceivedItem[];
  /** Everything that arrived, as text, with addresses and headers: to search it for what must not be sent. */
  raw: string[];
  /** Violations of the protocol, one sentence each. `until` fails with them. */
  broken: string[];
  /** The response from now on; 200 by default. */
  answer: { status: number; headers?: Record<string, string> } | "hang";
  /** Waits until `count` items match. */
  until(fits: (item: ReceivedItem) => boolean, count?: number, withinMs?: number): Promise<ReceivedItem[]>;
  stop(): Promise<void>;
}

export async function receiver(): Promise<Receiver> {
  const items: ReceivedItem[] = [];
  const raw: string[] = [];
  const broken: string[] = [];
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (self.answer === "hang") return;
    const { status, headers = {} } = self.answer;
    if (status === 200) {
      const body = Buffer.concat(chunks);
      const bytes = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      raw.push(`${request.method} ${request.url}\n${request.rawHeaders.join("\n")}\n\n${bytes}`);
      try {
        items.push(...readStrictly(bytes));
      } catch (error) {
        broken.push(String(error));
        response.writeHead(400).end();
        return;
      }
    }
    response.writeHead(status, headers).end("{}");
  });
  const self: Receiver = {
    dsn: `${server.url.replace("://", `://${"d".repeat(32)}@`)}/1`,
    items,
    raw,
    broken,
    answer: { status: 200 },
    until: async (fits, count = 1, withinMs = 30_000) => {
      const deadline = performance.now() + withinMs;
      while (items.filter(fits).length < count) {
        if (broken.length > 0) throw new Error(broken.join("\n"));
        if (performance.now() > deadline)
          throw new Error(
            `Of ${count} items ${items.filter(fits).length} arrived; there are: ${items.map(({ type }) => type)}`,
          );
        await wait(20);
      }
      return items.filter(fits);
    },
    stop: server.stop,
  };
  return self;
}
