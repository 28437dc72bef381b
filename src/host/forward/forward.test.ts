import { once } from "node:events";
import http, { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { readAddressRules, type Texts } from "#pages";
import type { ErrorPlace } from "#signals";
import { hostLimits } from "../limits.ts";
import { createClientAddresses } from "../origin.ts";
import { createForwarder } from "./forward.ts";

interface Opened {
  url: string;
  failures: { message: string; place: ErrorPlace }[];
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that hands everything below `/shop` to another one. */
async function open(
  origin: string,
  limits: Partial<typeof hostLimits> = {},
  language?: Parameters<ReturnType<typeof createForwarder>["forward"]>[1]["language"],
): Promise<Opened> {
  const failures: Opened["failures"] = [];
  const [rule] = readAddressRules(undefined, [{ from: "/shop/[...rest]", to: `${origin}/store/[...rest]` }]).rules;
  if (!rule) throw new Error("This line is right.");
  const forwarder = createForwarder({
    clientAddresses: createClientAddresses({ origin: undefined, trustedProxies: [] }),
    signals: {
      errorCaught: (error, place) => {
        failures.push({ message: String(error), place });
        return { kind: "recorded", eventId: "1", digest: "TEST-TEST-0001", durable: Promise.resolve() };
      },
    },
    limits: { ...hostLimits, ...limits },
  });
  onTestFinished(() => forwarder.close());
  const server = createServer((incoming, response) => {
    const address = origin + (incoming.url ?? "").replace("/shop/", "/store/");
    void forwarder.forward({ incoming, response }, { address, rule, language });
  });
  return { url: await listen(server), failures };
}

async function other(listener: RequestListener): Promise<string> {
  return listen(createServer(listener));
}

test("a request arrives with its method, body and headers, without those of the connection", async () => {
  const arrived: unknown[] = [];
  const { url } = await open(
    await other(async (incoming, response) => {
      const { host, connection, te, "x-once": once, cookie, "x-forwarded-for": client } = incoming.headers;
      const forwarded = [incoming.headers["x-forwarded-host"], incoming.headers["x-forwarded-proto"]];
      arrived.push(incoming.method, incoming.url, await text(incoming), { connection, te, once, cookie, client });
      arrived.push(forwarded, host);
      response.writeHead(201, { "Set-Cookie": ["a=1", "b=2"], "Keep-Alive": "timeout=9", "X-Own": "yes" }).end("made");
    }),
  );
  const headers = {
    connection: "close, x-once",
    "x-once": "1",
    te: "trailers",
    cookie: "old=1",
    "x-forwarded-for": "6.6.6.6",
    "transfer-encoding": "chunked",
  };
  const request = http.request(`${url}/shop/orders?x=1`, { method: "DELETE", headers });
  request.write("a body ");
  request.end("in parts");
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  expect([answer.statusCode, await text(answer)]).toEqual([201, "made"]);
  expect([answer.headers["set-cookie"], answer.headers["x-own"]]).toEqual([["a=1", "b=2"], "yes"]);
  expect(answer.headers["keep-alive"]).not.toBe("timeout=9");
  const own = { connection: "close", te: undefined, once: undefined, cookie: "old=1", client: "127.0.0.1" };
  expect(arrived.slice(0, 4)).toEqual(["DELETE", "/store/orders?x=1", "a body in parts", own]);
  expect(arrived[4]).toEqual([new URL(url).host, "http"]);
  expect(arrived[5]).not.toBe(new URL(url).host);
});

test("both bodies are streams: each part arrives before the next one is sent", async () => {
  const { url } = await open(
    await other((incoming, response) => {
      incoming.on("data", (chunk: Buffer) => response.write(`echo ${chunk}`));
      incoming.on("end", () => response.end());
    }),
  );
  const request = http.request(`${url}/shop/echo`, { method: "POST" });
  const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
  request.write("one");
  const [answer] = await answered;
  expect(String((await once(answer, "data"))[0])).toBe("echo one");
  request.write("two");
  expect(String((await once(answer, "data"))[0])).toBe("echo two");
  request.end();
  await once(answer, "end");
});

test("a redirect to the other server itself leads to the visitor's path; another one stays", async () => {
  const origin = await other((incoming, response) => {
    const locations: Record<string, string> = {
      "/store/a": "/store/b?x=1",
      "/store/c": `http://${incoming.headers.host}/store/d`,
      "/store/e": "https://bank.example/pay",
      "/store/f": "/login",
    };
    response.writeHead(302, { Location: locations[incoming.url ?? ""] ?? "" }).end();
  });
  const { url } = await open(origin);
  const leadsTo = async (path: string) => (await fetch(url + path, { redirect: "manual" })).headers.get("location");
  expect(await Promise.all(["/shop/a", "/shop/c", "/shop/e", "/shop/f"].map(leadsTo))).toEqual([
    "/shop/b?x=1",
    "/shop/d",
    "https://bank.example/pay",
    "/login",
  ]);
});

test("a server that is not there is a 502 and an event, also after a body was sent", async () => {
  const unused = createServer().listen(0, "127.0.0.1");
  await once(unused, "listening");
  const origin = `http://127.0.0.1:${(unused.address() as AddressInfo).port}`;
  unused.close();
  await once(unused, "close");
  const { url, failures } = await open(origin);
  for (const init of [{}, { method: "POST", body: "x".repeat(200_000) }]) {
    const answer = await fetch(`${url}/shop/7`, init);
    expect([answer.status, answer.headers.get("x-digest")]).toEqual([502, "TEST-TEST-0001"]);
    expect(await answer.text()).toContain("TEST-TEST-0001");
  }
  expect(failures).toHaveLength(2);
  expect(failures[0]?.message).toContain(`${origin}, which answers /shop/[...rest], failed: connect ECONNREFUSED`);
  expect(failures[0]?.place).toMatchObject({ during: "rewrite", route: "/shop/[...rest]", url: "/shop/7" });
});

test("a server that is not there is a page in the language of the address", async () => {
  // Only what this page shows.
  const shown = { notAvailable: "Nicht verfügbar", cannotBeShown: "Jetzt nicht.", digest: "Code", reload: "Neu laden" };
  const texts = { ...shown, home: "Startseite" } as Texts;
  const language = { html: { lang: "de" }, texts, home: "/de" };
  const { url } = await open(await other((incoming) => void incoming.socket.destroy()), {}, language);
  const page = await (await fetch(`${url}/shop/7`)).text();
  for (const part of ['<html lang="de">', "<h1>Nicht verfügbar</h1>", "Jetzt nicht.", 'href="/de">Startseite'])
    expect(page).toContain(part);
});

test("a server that does not begin to answer in time is a 504 and an event", async () => {
  const { url, failures } = await open(await other(() => undefined), { forwardHeadMs: 50 });
  expect((await fetch(`${url}/shop/7`)).status).toBe(504);
  expect(failures[0]?.message).toContain("did not begin to answer within 0.05 s");
});

test("a response that breaks off is cut for the visitor too, and an event", async () => {
  const { url, failures } = await open(
    await other((_incoming, response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write("half", () => response.destroy());
    }),
  );
  await expect(fetch(`${url}/shop/7`).then((answer) => answer.text())).rejects.toThrow();
  expect(failures).toHaveLength(1);
});

test("a visitor who leaves ends the request at the other server, and is no event", async () => {
  const closed = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const origin = await other((_incoming, response) => {
    response.once("close", closed.resolve);
    reached.resolve();
  });
  const { url, failures } = await open(origin);
  const leave = new AbortController();
  const asked = fetch(`${url}/shop/7`, { signal: leave.signal }).catch(() => "left");
  await reached.promise;
  leave.abort();
  expect(await asked).toBe("left");
  await closed.promise;
  expect(failures).toEqual([]);
});

test("a kept connection that the other server has closed is replaced, and the visitor sees nothing of it", async () => {
  let requests = 0;
  const sockets = createSocketServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => {
      requests++;
      // The second request on this connection meets its end.
      if (requests === 2) return void socket.resetAndDestroy();
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
  }).listen(0, "127.0.0.1");
  await once(sockets, "listening");
  onTestFinished(() => void sockets.close());
  const { url, failures } = await open(`http://127.0.0.1:${(sockets.address() as AddressInfo).port}`);
  for (const _ of [1, 2]) expect(await (await fetch(`${url}/shop/7`)).text()).toBe("ok");
  expect([requests, failures]).toEqual([3, []]);
});
