import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { serve } from "./small-server.ts";

/** One item of an envelope as it arrived. */
export interface ReceivedItem {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a client sends; tests look into it with matchers.
  value: any;
  /** The envelope's first line. */
  header: Record<string, unknown>;
}

/** A service of the protocol in a few lines, written against its specification and not with our own reader. */
export interface Receiver {
  /** For an application's `report.dsn`. */
  dsn: string;
  items: ReceivedItem[];
  /** Everything that arrived, as text, with addresses and headers: to look for what must not be in it. */
  raw: string[];
  /** What to answer from now on; 200 unless said otherwise. */
  answer: { status: number; headers?: Record<string, string> } | "hang";
  /** Waits until so many items fit. */
  until(fits: (item: ReceivedItem) => boolean, count?: number, withinMs?: number): Promise<ReceivedItem[]>;
  stop(): Promise<void>;
}

export async function receiver(): Promise<Receiver> {
  const items: ReceivedItem[] = [];
  const raw: string[] = [];
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (self.answer === "hang") return;
    const { status, headers = {} } = self.answer;
    if (status === 200) {
      const body = Buffer.concat(chunks);
      const bytes = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      raw.push(`${request.method} ${request.url}\n${request.rawHeaders.join("\n")}\n\n${bytes}`);
      items.push(...itemsOf(bytes));
    }
    response.writeHead(status, headers).end("{}");
  });
  const self: Receiver = {
    dsn: `${server.url.replace("://", `://${"d".repeat(32)}@`)}/1`,
    items,
    raw,
    answer: { status: 200 },
    until: async (fits, count = 1, withinMs = 15_000) => {
      const deadline = performance.now() + withinMs;
      while (items.filter(fits).length < count) {
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

/** By the protocol: a line of JSON, then for each item a line of JSON and as many bytes as that says. */
function itemsOf(bytes: Buffer): ReceivedItem[] {
  const items: ReceivedItem[] = [];
  const line = (at: number): { value: Record<string, unknown>; next: number } => {
    const end = bytes.indexOf(0x0a, at);
    return { value: JSON.parse(bytes.subarray(at, end).toString()), next: end + 1 };
  };
  const { value: header, next } = line(0);
  let at = next;
  while (at < bytes.length) {
    const item = line(at);
    const length = Number(item.value.length);
    items.push({
      type: String(item.value.type),
      value: JSON.parse(bytes.subarray(item.next, item.next + length).toString()),
      header,
    });
    at = item.next + length + 1;
  }
  return items;
}
