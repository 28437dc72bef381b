import { createServer, get, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { QuickResponse } from "./quick-response.ts";

type Write = (response: ServerResponse) => void;

/** The head of a response as its client reads it, without the date. */
async function headBy(ServerResponseClass: typeof ServerResponse, write: Write): Promise<string[]> {
  const server = createServer({ ServerResponse: ServerResponseClass, keepAliveTimeout: 7_000 }, (_, response) =>
    write(response),
  ).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  const socket = connect(await portOf(server), "127.0.0.1");
  socket.end("GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n");
  const response = (await text(socket)).replace(/Date: [^\r]+/, "Date: now");
  const [head = "", body] = response.split("\r\n\r\n", 2);
  const [statusLine = "", ...lines] = head.split("\r\n");
  return [statusLine, ...lines.sort(), body ?? ""];
}

async function portOf(server: ReturnType<typeof createServer>): Promise<number> {
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  return (server.address() as AddressInfo).port;
}

describe("a quick response has the head that Node writes", () => {
  const whole: Record<string, Write> = {
    "a page": (response) =>
      response
        .writeHead(200, ["Content-Type", "text/html", "Content-Length", "4", "X-Frame-Options", "DENY"])
        .end("page"),
    "several cookies": (response) =>
      response.writeHead(200, ["Set-Cookie", "a=1", "set-cookie", "b=2", "Content-Length", "0"]).end(),
    "no length": (response) => {
      response.writeHead(200, ["Content-Type", "text/plain"]);
      response.write("first");
      response.end("second");
    },
    "a connection that closes": (response) =>
      response.writeHead(503, ["Retry-After", "1", "Connection", "close", "Content-Length", "0"]).end(),
    "not modified": (response) => response.writeHead(304, ["ETag", '"one"']).end(),
    "an own date": (response) => response.writeHead(200, ["Date", "never", "Content-Length", "0"]).end(),
    "headers by name": (response) => response.writeHead(200, { "X-One": "1", "Content-Length": 0 }).end(),
    "headers set one by one": (response) => {
      response.setHeader("X-One", "1");
      response.writeHead(200, ["X-Two", "2", "Content-Length", "0"]).end();
    },
    "a number and a list as values": (response) =>
      response.writeHead(200, ["X-Many", ["a", "b"], "Content-Length", 0] as unknown as string[]).end(),
    "a file name beyond ASCII": (response) =>
      response
        .writeHead(200, ["Content-Length", "0", "Content-Disposition", 'attachment; filename="Ã¼.txt"', "X-Text", "Ã¼"])
        .end(),
    "no headers": (response) => response.writeHead(204, []).end(),
    trailers: (response) => {
      response.writeHead(200, ["Trailer", "X-Sum"]);
      response.addTrailers({ "X-Sum": "1" });
      response.end("text");
    },
  };

  test.each(Object.entries(whole))("with %s", async (_, write) => {
    const expected = await headBy(ServerResponse, write);
    expect(await headBy(QuickResponse, write)).toEqual(expected);
    // The second time, lines are those of the first.
    expect(await headBy(QuickResponse, write)).toEqual(expected);
  });

  test("with values that change from response to response", async () => {
    for (const value of ["one", "two", "two", "one", "", "x".repeat(5_000), "one"]) {
      const write: Write = (response) => response.writeHead(200, ["X-Changing", value, "Content-Length", "0"]).end();
      expect(await headBy(QuickResponse, write)).toEqual(await headBy(ServerResponse, write));
    }
  });

  test("with more names than are kept", async () => {
    const names = Array.from({ length: 300 }, (_, at) => [`X-Name-${at}`, String(at)]).flat();
    const write: Write = (response) => response.writeHead(200, [...names, "Content-Length", "0"]).end();
    expect(await headBy(QuickResponse, write)).toEqual(await headBy(ServerResponse, write));
  });
});

describe("what would break a response into two is refused as by Node", () => {
  const refusal = (ServerResponseClass: typeof ServerResponse, headers: string[]): unknown => {
    const response = new ServerResponseClass({ method: "GET", httpVersionMajor: 1, httpVersionMinor: 1 } as never);
    try {
      response.writeHead(200, headers);
    } catch (error) {
      return (error as { code: string }).code;
    }
    return "written";
  };

  test("in values and names, also after good ones", () => {
    for (const [name, value] of [
      ["X-One", "good"],
      ["X-One", "a\r\nX-Two: b"],
      ["X-One", "a\nb"],
      ["X-One", "\u0100"],
      ["X-One\r\nX-Two", "a"],
      ["X One", "a"],
      ["", "a"],
      ["X-One", undefined],
    ] as [string, string][])
      expect([name, value, refusal(QuickResponse, [name, value])]).toEqual([
        name,
        value,
        refusal(ServerResponse, [name, value]),
      ]);
  });

  test("for any name and value", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "-", " ", "\t", "\r", "\n", ":", "é", "Ā", "\0", "\x7f") });
    fc.assert(
      fc.property(part, part, (name, value) => {
        expect(refusal(QuickResponse, [name, value])).toEqual(refusal(ServerResponse, [name, value]));
      }),
    );
  });
});

test("a HEAD request gets the head alone", async () => {
  const server = createServer({ ServerResponse: QuickResponse }, (_, response) =>
    response.writeHead(200, ["Content-Type", "text/plain", "Content-Length", "4"]).end(),
  ).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  const port = await portOf(server);
  const headers = await new Promise<OutgoingHttpHeaders>((resolve) =>
    get({ port, host: "127.0.0.1", method: "HEAD", agent: false }, (response) => resolve(response.resume().headers)),
  );
  expect(headers["content-length"]).toBe("4");
});
