import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** One request that a webhook received. */
export interface ReceivedAlert {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface AlertReceiver extends AsyncDisposable {
  readonly host: string;
  readonly url: string;
  readonly received: readonly ReceivedAlert[];
  /** Status of the following responses. */
  status: number;
}

/** A server on this machine that receives webhooks. */
export async function startAlertReceiver(): Promise<AlertReceiver> {
  const received: ReceivedAlert[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    if (receiver.status < 300)
      received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(pieces).toString()) });
    response.writeHead(receiver.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receiver: AlertReceiver = {
    host,
    url: `http://${host}/hook`,
    received,
    status: 200,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
