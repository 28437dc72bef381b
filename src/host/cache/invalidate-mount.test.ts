import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Refusals } from "#bounds";
import { createInvalidateMount, type InvalidateMountDeps, readInvalidateToken } from "./invalidate-mount.ts";

const token = "a token of a content system, long enough";

async function mounted(own: Partial<InvalidateMountDeps> = {}) {
  const refusals = new Refusals();
  const lines: string[] = [];
  const removed: string[][] = [];
  const mount = createInvalidateMount({
    token,
    invalidate: (names) => removed.push([...names]),
    clientOf: (incoming) => String(incoming.headers["x-client"] ?? "192.0.2.1"),
    refusals,
    log: (line) => lines.push(line),
    ...own,
  });
  const server = createServer((incoming, response) => void mount.handle(incoming, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const call = async (body: string, headers: Record<string, string> = {}, method = "POST") => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/_holdfast/invalidate`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(method === "POST" && { body }),
    });
    return [response.status, (await response.json()) as unknown];
  };
  return { call, lines, removed, refusals };
}

test("a content system names what has changed, and the log says who did", async () => {
  const { call, lines, removed } = await mounted();
  expect(await call('{"names":["orders","/reports"]}')).toEqual([200, { removed: 1 }]);
  expect(removed).toEqual([["orders", "/reports"]]);
  expect(lines).toEqual(["Cached pages were removed by 192.0.2.1: orders, /reports (1 in this process)."]);
});

test("a wrong token, a wrong body and a wrong name remove nothing, and the log has the wrong token", async () => {
  const { call, lines, removed } = await mounted();
  const names = '{"names":["orders"]}';
  for (const authorization of ["", token, `Bearer ${token.slice(1)}`, `Bearer ${token} `.repeat(2)])
    expect(await call(names, { authorization })).toEqual([401, { error: "the token is wrong" }]);
  expect(lines).toHaveLength(4);
  expect(lines.join()).not.toContain(token.slice(1));
  expect((await call("", {}, "GET"))[0]).toBe(405);
  for (const body of [
    "",
    "[]",
    "{}",
    '{"names":[]}',
    '{"names":[7]}',
    `{"names":${JSON.stringify(Array(201).fill("a"))}}`,
  ])
    expect((await call(body))[0]).toBe(422);
  expect((await call(" ".repeat(70_000)))[0]).toBe(413);
  expect(removed).toEqual([]);
  const picky = await mounted({
    invalidate: () => {
      throw new Error('"" is no tag.');
    },
  });
  expect(await picky.call('{"names":[""]}')).toEqual([422, { error: '"" is no tag.' }]);
});

test("one client may call a limited number of times, with any token; others are not affected", async () => {
  const clock = { now: 1_000 };
  const { call, refusals } = await mounted({ now: () => clock.now });
  for (let count = 0; count < 60; count++) await call("{}", { authorization: "Bearer guess" });
  expect((await call("{}"))[0]).toBe(429);
  expect((await call('{"names":["orders"]}', { "x-client": "192.0.2.2" }))[0]).toBe(200);
  expect(refusals.totals.get("invalidations")).toBe(1);
  clock.now += 1_000;
  expect((await call('{"names":["orders"]}'))[0]).toBe(200);
});

test("a token that is too short is refused before anything starts", () => {
  expect(() => readInvalidateToken({ HOLDFAST_INVALIDATE_TOKEN: "short" })).toThrow(
    /HOLDFAST_INVALIDATE_TOKEN has 5 characters/,
  );
  expect([readInvalidateToken({}), readInvalidateToken({ HOLDFAST_INVALIDATE_TOKEN: token })]).toEqual([
    undefined,
    token,
  ]);
});
