import { createServer, type IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { endBodiless } from "./end-bodiless.ts";
import { QuickResponse } from "./quick-response.ts";
import { readBody } from "./read-body.ts";
import { StoredResponse, storedSenderOf } from "./stored-response.ts";

type Answer = (incoming: IncomingMessage, response: ServerResponse) => void;

/** What a client reads, without the date. */
async function ask(request: string, answer: Answer, ServerResponseClass = QuickResponse as typeof ServerResponse) {
  const server = createServer({ ServerResponse: ServerResponseClass }, answer).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.end(request);
  const [head = "", body] = (await text(socket)).replace(/Date: [^\r]+/, "Date: now").split("\r\n\r\n", 2);
  const [statusLine = "", ...lines] = head.split("\r\n");
  return [statusLine, ...lines.sort(), body ?? ""];
}

const get = "GET / HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n";
const headers = ["Content-Type", "text/plain", "ETag", '"one"'];

test("a stored response is the one that Node would write", async () => {
  const stored = StoredResponse.of(headers, "Grüße");
  const own = ["Server-Timing", "cache"];
  const asNode = await ask(
    get,
    (_, response) => response.writeHead(200, [...headers, ...own, "Content-Length", "5"]).end("Grüße", "latin1"),
    ServerResponse,
  );
  const answer: Answer = (incoming, response) =>
    void (stored && storedSenderOf({ incoming, response })?.sendStored(stored, "Server-Timing: cache\r\n"));
  expect(await ask(get, answer)).toEqual(asNode);
  expect(await ask(get, answer)).toEqual(asNode);
});

test("requests that get another response are left to the caller", async () => {
  const seen: string[] = [];
  const answer: Answer = (incoming, response) => {
    if (incoming.url === "/stopping") response.setHeader("Connection", "close");
    seen.push(`${incoming.method} ${incoming.url} ${storedSenderOf({ incoming, response }) ? "stored" : "other"}`);
    response.writeHead(204).end();
  };
  const rest = "Host: shop.example\r\nConnection: close\r\n";
  for (const request of [
    `GET / HTTP/1.1\r\n${rest}\r\n`,
    `HEAD / HTTP/1.1\r\n${rest}\r\n`,
    `GET /old HTTP/1.0\r\n${rest}\r\n`,
    `GET /body HTTP/1.1\r\n${rest}Content-Length: 1\r\n\r\nx`,
    `GET /stopping HTTP/1.1\r\n${rest}\r\n`,
  ])
    await ask(request, answer);
  await ask(`GET /plain HTTP/1.1\r\n${rest}\r\n`, answer, ServerResponse);
  expect(seen).toEqual([
    "GET / stored",
    "HEAD / other",
    "GET /old other",
    "GET /body other",
    "GET /stopping other",
    "GET /plain other",
  ]);
});

test("a header that would break a stored response into two is refused, and one that Node writes is not stored", () => {
  expect(() => StoredResponse.of(["X-One", "a\r\nX-Two: b"], "")).toThrow(/Invalid character/);
  for (const name of ["Content-Length", "Content-Disposition", "connection"])
    expect(StoredResponse.of([name, "1"], "")).toBeUndefined();
});

test("a GET request without a body has ended, and the reader of any other one gets to its end", async () => {
  const seen: unknown[] = [];
  const answer: Answer = async (incoming, response) => {
    endBodiless(incoming);
    seen.push([incoming.method, incoming.readableEnded]);
    // A handler that has looked something up before, such as a token.
    await new Promise(setImmediate);
    seen.push(await readBody(incoming, 10));
    response.writeHead(204).end();
  };
  const rest = "Host: shop.example\r\nConnection: close\r\n";
  await ask(`GET / HTTP/1.1\r\n${rest}\r\n`, answer);
  await ask(`POST / HTTP/1.1\r\n${rest}\r\n`, answer);
  await ask(`GET / HTTP/1.1\r\n${rest}Content-Length: 1\r\n\r\nx`, answer);
  expect(seen).toEqual([
    ["GET", true],
    { kind: "body", text: "" },
    ["POST", false],
    { kind: "body", text: "" },
    ["GET", false],
    { kind: "body", text: "x" },
  ]);
});
