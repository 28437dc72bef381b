import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, type IncomingHttpHeaders, request as openRequest, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { consoleApi } from "#service/console-api";
import { root } from "../../scripts/root.js";
import { type MountedApplication, openApplication } from "../../src/exports/mount.ts";
import { buildApp } from "../kit/index.ts";
import { mountedApplication } from "../kit/mounted-application.ts";

const folder = mountedApplication();
const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-mounted-"));
let holdfast: MountedApplication;

beforeAll(async () => {
  await buildApp(folder);
  holdfast = await openApplication({ folder: join(root, folder), dataFolder });
});
afterAll(async () => {
  await holdfast.close();
  rmSync(dataFolder, { recursive: true, force: true });
});

/** What the application has noted: it runs in this process. */
const noted: string[] = [];
Object.assign(globalThis, { noted });

const digestPattern = /\b[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){2}\b/;

/** What the service has filed about an event, as text. */
async function fetchEvent(digest: string): Promise<string> {
  const find = (): Promise<unknown> => consoleApi().event(1, digest);
  await expect.poll(find).toBeDefined();
  return JSON.stringify(await find());
}

/** Their types are not installed. */
// biome-ignore lint/suspicious/noExplicitAny: the packages are used as their authors' documentation shows.
const packageOf = async (name: string): Promise<any> => (await import(name)).default;

interface Asked {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A server of another framework around the application, and what it answers itself. */
const fronts: Record<string, () => Promise<{ port: number }>> = {
  "node:http": () =>
    listening((request, response) => holdfast.handler(request, response, () => response.end("of the server"))),
  Express: async () => {
    const app = (await packageOf("express"))();
    app.use(holdfast.handler);
    app.use((_request: unknown, response: { send(text: string): void }) => response.send("of the server"));
    return listening(app);
  },
  "Express behind compression": async () => {
    const app = (await packageOf("express"))();
    app.use((await packageOf("compression"))({ threshold: 0 }));
    app.use(holdfast.handler);
    return listening(app);
  },
  "Fastify, before its parsers": async () => {
    const app = (await packageOf("fastify"))();
    app.addHook("onRequest", (request: Raw, reply: Raw & { hijack(): void }, done: () => void) =>
      holdfast.handler(request.raw, reply.raw, done),
    );
    app.get("/old", async () => "of the server");
    await app.listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => app.close());
    return { port: app.server.address().port };
  },
  "Fastify, as a route": async () => {
    const app = (await packageOf("fastify"))();
    await app.register(async (own: typeof app) => {
      own.removeAllContentTypeParsers();
      own.addContentTypeParser("*", (_request: unknown, _body: unknown, done: (error: null) => void) => done(null));
      const handle = (request: Raw, reply: Raw & { hijack(): void }): void => {
        reply.hijack();
        holdfast.handler(request.raw, reply.raw);
      };
      for (const url of ["/app", "/app/*", "/_holdfast", "/_holdfast/*"]) own.all(url, handle);
    });
    app.get("/old", async () => "of the server");
    await app.listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => app.close());
    return { port: app.server.address().port };
  },
};

// biome-ignore lint/suspicious/noExplicitAny: request or response of node:http.
type Raw = { raw: any };

async function listening(listener: RequestListener): Promise<{ port: number }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port };
}

async function ask(port: number, { method = "GET", path, headers = {}, body = "" }: Asked): Promise<Answered> {
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const sent = openRequest({ port, host: "127.0.0.1", method, path, headers: { ...length, ...headers } });
  sent.end(body);
  const [response] = await once(sent, "response");
  return {
    status: response.statusCode,
    headers: response.headers,
    body: await buffer(response),
  };
}

async function fetched(port: number, { method = "GET", path, headers = {}, body = "" }: Asked): Promise<Answered> {
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const response = await holdfast.fetch(
    new Request(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...length, ...headers },
      ...(body !== "" && { body }),
    }),
    { address: "127.0.0.1" },
  );
  const cookies = response.headers.getSetCookie();
  return {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), ...(cookies.length > 0 && { "set-cookie": cookies }) },
    body: Buffer.from(await response.arrayBuffer()),
  };
}

const html = { accept: "text/html" };
const form = { ...html, "content-type": "application/x-www-form-urlencoded" };
const boundary = "----parts";
const asked: Asked[] = [
  { path: "/app", headers: html },
  { path: "/app?page=2", headers: html, method: "HEAD" },
  { path: "/app/orders/7", headers: html },
  { path: "/app/orders/7", headers: { ...html, "accept-encoding": "br" } },
  { path: "/app/orders/7", headers: { ...html, "accept-encoding": "gzip" } },
  { path: "/app/orders/7?cookie", headers: html },
  { path: "/app/orders/7/_data" },
  { path: "/app/orders/7/", headers: html },
  { path: "/app/orders/8", headers: html },
  { path: "/app/nothing", headers: html },
  { path: "/app/broken", headers: html },
  { path: "/app/broken/_data" },
  { path: "/app/%zz", headers: html },
  { path: "/app/logo.txt" },
  { path: "/app/logo.txt", headers: { range: "bytes=2-5" } },
  { path: "/app/logo.txt", method: "POST", body: "a file takes none" },
  { path: "/app/_action/say", method: "POST", headers: form, body: "word=hello" },
  {
    path: "/app/_action/say",
    method: "POST",
    headers: { ...html, "content-type": `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}\r\nContent-Disposition: form-data; name="word"\r\n\r\nparts\r\n--${boundary}--\r\n`,
  },
  { path: "/app/_action/say", method: "POST", headers: { ...form, origin: "http://evil.example" }, body: "word=no" },
  { path: "/app/_action/none", method: "POST", headers: form, body: "word=hello" },
  { path: "/app/api/echo", method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' },
  { path: "/app/api/echo", method: "PUT", body: "x".repeat(150_000) },
  { path: "/app/api/echo", method: "PUT", body: "x".repeat(200_001) },
  { path: "/app/api/echo", method: "DELETE" },
  { path: "/app/api/echo" },
  { path: "/app/api/none" },
  { path: "/app/api/talk" },
  { path: "/app", method: "OPTIONS" },
  { path: "/app", method: "PROPFIND" },
  { path: "/_holdfast", headers: html },
  { path: "/_holdfast/post", method: "POST", body: "not an envelope" },
];

/** Of the connection, of the moment, or of the server around the application. */
const notCompared = new Set(["connection", "date", "keep-alive", "transfer-encoding", "x-powered-by"]);

const decoders: Record<string, (body: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

function comparable({ status, headers, body }: Answered): unknown {
  const kept = Object.entries(headers).filter(([name]) => !notCompared.has(name));
  const plain = decoders[headers["content-encoding"] ?? ""]?.(body) ?? body;
  // The length differs with the secrets of the answer where it is compressed.
  if (headers["content-encoding"]) kept.splice(0, kept.length, ...kept.filter(([name]) => name !== "content-length"));
  return JSON.parse(
    JSON.stringify({ status, headers: Object.fromEntries(kept.sort()), text: plain.toString("utf8") })
      // A server that might have compressed it says so too.
      .replaceAll(/"vary":"Accept-Encoding",|, Accept-Encoding/g, "")
      .replaceAll(/(holdfast-(?:changed|result)=)[\w.-]+/g, "$1VALUE")
      .replaceAll(/nonce(=\\"|-)[\w+/=-]+/g, "nonce$1NONCE")
      .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){2}\b/g, "DIGEST")
      .replaceAll(/[0-9a-f]{32}-[0-9a-f]{16}(?:-[01])?|[0-9a-f]{32}/g, "TRACE")
      .replaceAll(/(name=\\"_key\\" value=\\")[\w-]+/g, "$1KEY"),
  );
}

describe.each(Object.keys(fronts))("mounted in %s", (name) => {
  test("answers each request as `fetch` does", async () => {
    const { port } = (await fronts[name]?.()) ?? { port: 0 };
    // Fastify refuses such an address before any hook, and has no route for such a method.
    const isOfFastify = ({ method, path }: Asked): boolean => path.includes("%zz") || method === "PROPFIND";
    const sent = name.startsWith("Fastify") ? asked.filter((one) => !isOfFastify(one)) : asked;
    for (const one of sent) {
      const what = `${one.method ?? "GET"} ${one.path}`;
      const [overNetwork, inMemory] = [await ask(port, one), await fetched(port, one)];
      expect({ what, ...(comparable(overNetwork) as object) }).toEqual({ what, ...(comparable(inMemory) as object) });
    }
  });

  test("leaves the addresses of others alone", async () => {
    const { port } = (await fronts[name]?.()) ?? { port: 0 };
    if (name === "Express behind compression") return;
    const answers = await Promise.all(["/old", "/old?app"].map((path) => ask(port, { path })));
    expect(answers.map(({ body }) => String(body))).toEqual(["of the server", "of the server"]);
  });
});

describe("a request that is not as it was sent", () => {
  const post = { method: "POST", path: "/app/api/echo", headers: { "content-type": "application/json" }, body: "{}" };

  /** The page of a failed request, and the event that its digest finds. */
  async function failed(port: number, sent: Asked): Promise<string> {
    const { status, headers, body } = await ask(port, sent);
    expect([status, headers["content-type"]]).toEqual([500, "text/html; charset=utf-8"]);
    expect(String(body)).toContain(`<code>${headers["x-digest"]}</code>`);
    return fetchEvent(String(headers["x-digest"]));
  }

  test("its body was read by a parser in front: a page with a digest, and an event that says what to do", async () => {
    const express = await packageOf("express");
    const app = express();
    app.use(express.json(), express.urlencoded());
    app.use(holdfast.handler);
    const { port } = await listening(app);
    expect(await failed(port, post)).toContain("Mount Holdfast before express.json()");
    const words = { ...post, path: "/app/_action/say", headers: form, body: "word=read" };
    expect(await failed(port, words)).toContain("The body of POST /app/_action/say was read before");
    // What has no body, or one that no parser takes, is as it was.
    const plain = { ...post, headers: { "content-type": "text/plain" }, body: "as it was" };
    expect(String((await ask(port, plain)).body)).toBe("as it was");
    expect((await ask(port, { path: "/app" })).status).toBe(200);
  });

  test("Fastify has parsed it: the same", async () => {
    const app = (await packageOf("fastify"))();
    app.post("/app/*", (request: Raw, reply: Raw & { hijack(): void }) => {
      reply.hijack();
      holdfast.handler(request.raw, reply.raw);
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => app.close());
    expect(await failed(app.server.address().port, post)).toContain("was read before the application got it");
  });

  test.each(["/app", "/other", "/app/orders"])("mounted at the path %s: the same", async (path) => {
    const app = (await packageOf("express"))();
    app.use(path, holdfast.handler);
    const { port } = await listening(app);
    const event = await failed(port, { path: `${path}/orders/7?a=1` });
    expect(event).toContain(`The application is mounted at ${path}, so`);
    expect(event).toContain("app.use(holdfast.handler)");
  });
});

describe("around the application,", () => {
  test("a server adds cookies and headers of its own to those of a page", async () => {
    const app = (await packageOf("express"))();
    type Response = { cookie(name: string, value: string): void; setHeader(name: string, value: string): void };
    app.use((_request: unknown, response: Response, next: () => void) => {
      response.cookie("old", "1");
      response.setHeader("X-Request-Id", "r1");
      response.setHeader("X-Frame-Options", "DENY");
      next();
    });
    app.use(holdfast.handler);
    const { port } = await listening(app);
    const { headers } = await ask(port, { path: "/app/orders/7?cookie" });
    expect(headers["set-cookie"]?.map((cookie) => cookie.split(";")[0])).toEqual(["old=1", "seen=this"]);
    expect([headers["x-request-id"], headers["x-frame-options"]]).toEqual(["r1", "SAMEORIGIN"]);
  });

  test("a server that compresses does not hold back events", async () => {
    const app = (await packageOf("express"))();
    app.use((await packageOf("compression"))());
    app.use(holdfast.handler);
    const { port } = await listening(app);
    const sent = openRequest({ port, path: "/app/api/news", headers: { "accept-encoding": "gzip" } }).end();
    const [response] = await once(sent, "response");
    let text = "";
    for await (const chunk of response as AsyncIterable<Buffer>) {
      text += chunk;
      if (text.includes("first")) break;
    }
    expect(response.headers["content-encoding"]).toBeUndefined();
  });

  test("a server keeps a connection for the next request", async () => {
    const { port } = (await fronts.Express?.()) ?? { port: 0 };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const sockets = new Set<unknown>();
    for (const path of ["/app", "/app/orders/7", "/old", "/app/logo.txt"]) {
      const sent = openRequest({ port, path, agent }).end();
      const [response] = await once(sent, "response");
      await buffer(response);
      sockets.add(response.socket);
    }
    expect(sockets.size).toBe(1);
  });

  test.each(Object.keys(fronts))("%s tells an API route that its client has left", async (name) => {
    const { port } = (await fronts[name]?.()) ?? { port: 0 };
    noted.length = 0;
    const sent = openRequest({ port, path: "/app/api/leaving" }).end();
    await expect.poll(() => noted).toEqual(["came"]);
    sent.on("error", () => undefined).destroy();
    await expect.poll(() => noted).toEqual(["came", "left"]);
  });

  test("a server opens WebSockets by `upgrade`, and leaves those of others alone", async () => {
    const server = createServer(holdfast.handler).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const others: (string | undefined)[] = [];
    server.on("upgrade", (request, socket, head) =>
      holdfast.upgrade(request, socket, head, () => {
        others.push(request.url);
        socket.destroy();
      }),
    );
    const socket = new WebSocket(`ws://127.0.0.1:${port}/app/api/talk`);
    await once(socket, "open");
    socket.send('"hello"');
    const [{ data }] = await once(socket, "message");
    expect(JSON.parse(data)).toEqual({ heard: "hello" });
    socket.close();
    await once(socket, "close");
    await once(new WebSocket(`ws://127.0.0.1:${port}/old/talk`), "error");
    expect(others).toEqual(["/old/talk"]);
  });
});

describe("`fetch`", () => {
  const url = "http://shop.example/app/api/echo";

  test("streams both bodies at the same time", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const asking = holdfast.fetch(new Request(url, { method: "POST", body: readable, duplex: "half" } as RequestInit));
    await writer.write(Buffer.from("one"));
    const answer = await asking;
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toEqual({ done: false, value: "one" });
    await writer.write(Buffer.from("two"));
    expect(await reader?.read()).toEqual({ done: false, value: "two" });
    await writer.close();
    expect((await reader?.read())?.done).toBe(true);
  });

  test("rejects with the reason of its signal, and the application knows that no client waits", async () => {
    noted.length = 0;
    const leaving = new AbortController();
    const asking = holdfast.fetch(new Request("http://shop.example/app/api/leaving", { signal: leaving.signal }));
    await expect.poll(() => noted).toEqual(["came"]);
    leaving.abort(new Error("no longer needed"));
    await expect(asking).rejects.toThrow("no longer needed");
    await expect.poll(() => noted).toEqual(["came", "left"]);
    const gone = new Request("http://shop.example/app", { signal: AbortSignal.abort(new Error("before")) });
    await expect(holdfast.fetch(gone)).rejects.toThrow("before");
  });

  test("breaks off a body whose reader leaves, and one whose request is aborted", async () => {
    const read = await holdfast.fetch(new Request("http://shop.example/app/api/news"));
    await read.body?.cancel();
    const leaving = new AbortController();
    const { body } = await holdfast.fetch(new Request("http://shop.example/app/api/news", { signal: leaving.signal }));
    leaving.abort(new Error("no longer needed"));
    const reader = body?.getReader();
    await expect(
      (async () => {
        for (;;) if ((await reader?.read())?.done) return "ended";
      })(),
    ).rejects.toThrow("no longer needed");
  });

  test("reads origin and scheme from the address: a form of that origin is let in, one of another is not", async () => {
    const send = async (origin: string): Promise<number> => {
      const headers = { ...form, origin };
      const body = "word=https";
      return (
        await holdfast.fetch(new Request("https://shop.example/app/_action/say", { method: "POST", headers, body }))
      ).status;
    };
    expect([await send("https://shop.example"), await send("http://shop.example")]).toEqual([303, 403]);
  });
});

test("a process opens one application at a time, and the next one after it was closed", async () => {
  const options = { folder: join(root, folder), dataFolder };
  await expect(openApplication(options)).rejects.toMatchObject({ code: "already-open" });
  const { port } = (await fronts.Express?.()) ?? { port: 0 };
  noted.length = 0;
  // A stream that would never end, and work after a response.
  const stream = openRequest({ port, path: "/app/api/news" }).end();
  const [news] = await once(stream, "response");
  await ask(port, { method: "POST", path: "/app/api/leaving" });
  const digest = String((await ask(port, { path: "/app/broken", headers: html })).body).match(digestPattern)?.[0] ?? "";
  expect(holdfast.isReady()).toBe(true);
  const closing = holdfast.close();
  expect(holdfast.isReady()).toBe(false);
  expect((await ask(port, { path: "/app" })).status).toBe(503);
  expect(await closing).toBe("finished");
  await buffer(news);
  expect(noted).toEqual(["after", "stop"]);

  holdfast = await openApplication({ ...options, notFound: "next" });
  expect(await fetchEvent(digest)).toContain("The stock cannot be read.");
  const { port: again } = (await fronts["node:http"]?.()) ?? { port: 0 };
  const paths = ["/app", "/app/orders/8", "/app/nothing", "/app/nothing/", "/app/logo.txt", "/app/_assets/gone.js"];
  const answers = await Promise.all(paths.map((path) => ask(again, { path, headers: html })));
  expect(answers.map(({ status, body }) => [status, String(body) === "of the server"])).toEqual([
    [200, false],
    // A page that says so itself.
    [404, false],
    [200, true],
    [200, true],
    [200, false],
    [404, false],
  ]);
});

test("the sources of an application run inside of another server, with what the browser asks of Vite", async () => {
  await holdfast.close();
  holdfast = await openApplication({ folder: join(root, folder), dataFolder, development: true });
  const { port } = (await fronts["node:http"]?.()) ?? { port: 0 };
  const textOf = async (path: string): Promise<string> => String((await ask(port, { path, headers: html })).body);
  expect(await textOf("/app/orders/7")).toContain("<h1>Order <!-- -->7</h1>");
  expect(await textOf("/@vite/client")).toContain("createHotContext");
  expect(await textOf("/src/pages/broken.tsx")).toContain("Never");
  expect([await textOf("/old"), await textOf("/src/pages/none.tsx")]).toEqual(["of the server", "of the server"]);
});
