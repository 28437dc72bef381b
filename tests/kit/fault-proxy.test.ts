import { once } from "node:events";
import { Agent, createServer, get, type RequestListener, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type FaultProxy, faultProxy } from "./fault-proxy.ts";

let proxy: FaultProxy;

beforeEach(async () => {
  proxy = await faultProxy(
    await serve((asked, answer) => {
      if (asked.url === "/slow-lines") return void sendLines(answer);
      if (asked.method === "POST") return void asked.pipe(answer);
      answer.setHeader("x-seen-host", asked.headers.host ?? "");
      answer.setHeader("set-cookie", ["a=1", "b=2"]);
      answer.end(`answer to ${asked.url}`);
    }),
  );
});

afterEach(() => proxy.close());

describe("a proxy without rules", () => {
  test("forwards requests and responses, cookies and the requested host included", async () => {
    const answer = await fetch(`${proxy.url}/orders?page=2`);
    expect(await answer.text()).toBe("answer to /orders?page=2");
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(answer.headers.get("x-seen-host")).toBe(new URL(proxy.url).host);
  });

  test("forwards bodies and records them", async () => {
    const answer = await fetch(`${proxy.url}/note`, { method: "POST", body: "hello" });
    expect(await answer.text()).toBe("hello");
    expect(proxy.requests[0]).toMatchObject({ method: "POST", path: "/note", status: 200, bytes: 5 });
    expect(String(proxy.requests[0]?.body)).toBe("hello");
  });

  test("forwards a stream line by line, as the lines arrive", async () => {
    const answer = await fetch(`${proxy.url}/slow-lines`);
    const times: number[] = [];
    for await (const _ of answer.body ?? []) times.push(performance.now());
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(50);
  });

  test("keeps connections open between requests", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ports = new Set<number | undefined>();
    for (let turn = 0; turn < 3; turn += 1) {
      const asked = get(`${proxy.url}/${turn}`, { agent });
      const [answer] = await once(asked, "response");
      ports.add(answer.socket.localPort);
      answer.resume();
      await once(answer, "end");
    }
    expect(ports.size).toBe(1);
  });

  test("closes the connection when the application closes it", async () => {
    await using broken = await faultProxy(await serve((_, answer) => answer.destroy()));
    await expect(fetch(broken.url)).rejects.toThrow();
  });

  test("records a visitor who does not wait for the end", async () => {
    const stop = new AbortController();
    await fetch(`${proxy.url}/slow-lines`, { signal: stop.signal });
    stop.abort();
    await expect.poll(() => proxy.requests[0]?.end).toBe("gone");
  });
});

describe("a rule", () => {
  test("applies to matching requests, the given number of times, and to no others", async () => {
    const rule = proxy.when(/_data/).times(2).answer(503, "busy");
    expect(await statusOf("/orders")).toBe(200);
    expect(await statusOf("/orders/_data")).toBe(503);
    expect(await statusOf("/orders/_data?x=1")).toBe(503);
    expect(await statusOf("/orders/_data")).toBe(200);
    expect(rule.count).toBe(2);
  });

  test("can be limited to a method, a whole path or a function of the request", async () => {
    proxy.when("/exact").method("POST").answer(418);
    proxy.when(({ headers }) => headers["x-tried"] === "yes").answer(429);
    expect(await statusOf("/exact")).toBe(200);
    expect(await statusOf("/exact?query", { method: "POST" })).toBe(418);
    expect(await statusOf("/exact/more", { method: "POST" })).toBe(200);
    expect(await statusOf("/any", { headers: { "x-tried": "yes" } })).toBe(429);
  });

  test("is overridden by a newer one and applies again when that is removed", async () => {
    proxy.when(/./).answer(500);
    const newer = proxy.when(/./).answer(502);
    expect(await statusOf("/")).toBe(502);
    newer.remove();
    expect(await statusOf("/")).toBe(500);
    proxy.healed();
    expect(await statusOf("/")).toBe(200);
  });

  test("delays the response", async () => {
    proxy.when(/./).delay(80);
    const started = performance.now();
    expect(await statusOf("/")).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(75);
  });

  test("changes status and headers and leaves the body", async () => {
    proxy.when(/./).status(404).headers({ "Content-Type": "text/odd", "set-cookie": undefined });
    const answer = await fetch(proxy.url);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toBe("text/odd");
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.text()).toBe("answer to /");
  });

  test("lets a request hang until the client gives up", async () => {
    proxy.when(/./).hang();
    await expect(fetch(proxy.url, { signal: AbortSignal.timeout(400) })).rejects.toThrow("timeout");
    await expect.poll(() => proxy.requests[0]?.end).toBe("gone");
    expect(proxy.requests[0]).not.toHaveProperty("status");
  });

  test("cuts the body after a number of bytes", async () => {
    proxy.when(/./).cutAfter(6);
    const { received, torn } = await readRaw(`${proxy.url}/`);
    expect(received).toBe("answer");
    expect(torn).toBe(true);
    expect(proxy.requests[0]).toMatchObject({ end: "cut", bytes: 6, status: 200 });
  });

  test("closes the connection before any response", async () => {
    proxy.when(/./).drop();
    await expect(fetch(proxy.url)).rejects.toThrow();
    expect(proxy.requests[0]?.end).toBe("cut");
  });

  test("stalls after a number of bytes and keeps the connection open", async () => {
    proxy.when(/./).stallAfter(6);
    const answer = await fetch(proxy.url, { signal: AbortSignal.timeout(400) });
    await expect(answer.text()).rejects.toThrow("timeout");
    expect(proxy.requests[0]).toMatchObject({ bytes: 6 });
  });

  test("sends the body in small pieces", async () => {
    proxy.when(/./).drip(4, 10);
    const started = performance.now();
    expect(await (await fetch(proxy.url)).text()).toBe("answer to /");
    expect(performance.now() - started).toBeGreaterThanOrEqual(25);
  });

  test("holds requests at a gate until they are released", async () => {
    const gate = proxy.when(/_data/).hold();
    const held = statusOf("/a/_data");
    await gate.taken();
    expect(await Promise.race([held, wait(40, "still held")])).toBe("still held");
    expect(await statusOf("/b")).toBe(200);
    gate.release();
    expect(await held).toBe(200);
  });
});

test("offline refuses and closes connections; online responds at the same address", async () => {
  const address = proxy.url;
  const underWay = fetch(`${proxy.url}/slow-lines`).then((answer) => answer.text());
  await expect.poll(() => proxy.requests.length).toBe(1);
  await proxy.offline();
  await expect(underWay).rejects.toThrow();
  await expect(fetch(address)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  await proxy.online();
  expect(proxy.url).toBe(address);
  expect(await statusOf("/")).toBe(200);
});

test("requests are found by pattern and can be forgotten", async () => {
  await statusOf("/a/_data");
  await statusOf("/b");
  expect(proxy.requestsFor(/_data/).map(({ path }) => path)).toEqual(["/a/_data"]);
  proxy.forgetRequests();
  expect(proxy.requests).toEqual([]);
});

async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const answer = await fetch(proxy.url + path, init);
  await answer.text();
  return answer.status;
}

async function readRaw(address: string): Promise<{ received: string; torn: boolean }> {
  const [answer] = await once(request(address).end(), "response");
  let received = "";
  try {
    for await (const chunk of answer) received += chunk;
  } catch {
    return { received, torn: true };
  }
  return { received, torn: false };
}

async function sendLines(answer: Parameters<RequestListener>[1]): Promise<void> {
  for (let line = 1; line <= 4 && !answer.destroyed; line += 1) {
    answer.write(`line ${line}\n`);
    await wait(30);
  }
  answer.end();
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
