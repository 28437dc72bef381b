import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type OutgoingDeps, outgoingLimits, postSafely, resolveByDns } from "./post-safely.ts";
import { isPublicAddress } from "./public-address.ts";

const deps: OutgoingDeps = { allowedHosts: [], limits: outgoingLimits, resolve: resolveByDns };
const post = (url: string) => ({ url, headers: { "content-type": "application/json" }, body: "{}" });

async function server(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const listening = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host}${request.url}`);
    respond(request, response);
  });
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void listening.close());
  return { port: (listening.address() as AddressInfo).port, asked };
}

describe("an outgoing post", () => {
  it.each([
    "127.0.0.1",
    "[::1]",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "127.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "169.254.169.254",
    "[fd00:ec2::254]",
    "10.0.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.100.100.200",
    "0.0.0.0",
    "[::]",
    "localhost",
  ])("to %s is refused, and nothing is sent", async (host) => {
    const { port, asked } = await server((_request, response) => response.end());
    const outcome = await postSafely(post(`http://${host}:${port}/`), deps);
    expect(outcome).toMatchObject({ kind: "refused", why: expect.stringContaining("not public") });
    expect(asked).toEqual([]);
  });

  it("goes to the address that was checked, although the name has another one by then", async () => {
    const { port, asked } = await server((_request, response) => response.end());
    let asks = 0;
    const resolve = async () => {
      asks += 1;
      return [{ address: asks === 1 ? "127.0.0.1" : "169.254.169.254", family: 4 }];
    };
    const url = `http://hooks.example:${port}/x`;
    const allowing = { ...deps, resolve, allowedHosts: [`hooks.example:${port}`] };
    expect(await postSafely(post(url), allowing)).toEqual({ kind: "sent" });
    expect([asks, asked]).toEqual([1, [`POST hooks.example:${port}/x`]]);
  });

  it("is refused where one of several addresses of a name is private", async () => {
    const resolve = async () => [
      { address: "93.184.215.14", family: 4 },
      { address: "10.0.0.7", family: 4 },
    ];
    const outcome = await postSafely(post("https://hooks.example/x"), { ...deps, resolve });
    expect(outcome).toEqual({
      kind: "refused",
      why: "hooks.example is at 10.0.0.7, which is not public. An owner of all projects can allow it.",
    });
  });

  it("follows no redirect, and says so", async () => {
    const target = await server((_request, response) => response.end());
    const { port } = await server((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${target.port}/secret` }).end();
    });
    const outcome = await postSafely(post(`http://127.0.0.1:${port}/`), {
      ...deps,
      allowedHosts: [`127.0.0.1:${port}`],
    });
    expect(outcome).toMatchObject({ kind: "refused", why: expect.stringContaining("redirect (307)") });
    expect(target.asked).toEqual([]);
  });

  it.each<[number, Record<string, string>, object]>([
    [204, {}, { kind: "sent" }],
    [404, {}, { kind: "refused", why: "The answer was 404: no such hook" }],
    [429, { "retry-after": "30" }, { kind: "failed", why: "The answer was 429: no such hook", retryAfterSeconds: 30 }],
    [503, {}, { kind: "failed", why: "The answer was 503: no such hook" }],
  ])("a post that is answered with %i", async (status, headers, expected) => {
    const { port } = await server((_request, response) => {
      response.writeHead(status, headers).end(status === 204 ? undefined : "no such hook\n");
    });
    const allowing = { ...deps, allowedHosts: [`127.0.0.1:${port}`] };
    expect(await postSafely(post(`http://127.0.0.1:${port}/`), allowing)).toEqual(expected);
  });

  it("is given up when no answer comes in time, and reads only the beginning of a long one", async () => {
    const silent = await server(() => undefined);
    const limits = { ...outgoingLimits, timeoutMs: 100 };
    const at = (port: number) => ({ ...deps, limits, allowedHosts: [`127.0.0.1:${port}`] });
    expect(await postSafely(post(`http://127.0.0.1:${silent.port}/`), at(silent.port))).toEqual({
      kind: "failed",
      why: "The request failed (no answer in time).",
    });
    const endless = await server((_request, response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write("x".repeat(1_000)), 1);
      response.on("close", () => clearInterval(timer));
    });
    const outcome = await postSafely(post(`http://127.0.0.1:${endless.port}/`), {
      ...at(endless.port),
      limits: outgoingLimits,
    });
    expect(outcome).toMatchObject({ kind: "failed", why: expect.stringMatching(/^The answer was 500: x{200}$/) });
  });

  it.each([
    ["no address", "This is not an address."],
    ["ftp://hooks.example/", "Addresses begin with https:// or http://, not with ftp:"],
    ["https://user:word@hooks.example/", "The address has a user name or password in it."],
  ])("to %s is refused", async (url, why) => {
    expect(await postSafely(post(url), deps)).toEqual({ kind: "refused", why });
  });
});

it("a public address is one that everyone can reach", () => {
  expect(["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "8.8.8.8"].map(isPublicAddress)).toEqual([
    true,
    true,
    true,
  ]);
  expect(["", "hooks.example", "10.1.2.3", "fe80::1", "::ffff:8.8.8.8"].map(isPublicAddress)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
