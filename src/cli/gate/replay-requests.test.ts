import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { GateLimits } from "#host";
import type { PastEvent } from "../replay/past-event.ts";
import { replayRequests } from "./replay-requests.ts";

const limits: GateLimits = { issues: 20, requestMs: 10_000, totalMs: 60_000, atOnce: 2 };
const get = (target: string): PastEvent => ({
  eventId: "",
  at: 0,
  side: "server",
  method: "GET",
  target,
  action: undefined,
  name: "Error",
  message: "",
});

/** Answers `/quick` at once, cuts `/cut`, and holds everything else until `release` is called. */
async function slowServer() {
  const held: (() => void)[] = [];
  let most = 0;
  const server = createServer((incoming, response) => {
    if (incoming.url === "/quick") return void response.end("ok");
    if (incoming.url === "/cut") return void response.destroy();
    held.push(() => void response.end());
    most = Math.max(most, held.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    release: () => held.splice(0).forEach((end) => void end()),
    most: () => most,
  };
}

const elapsed = (): number => performance.now();

test("requests are sent two at a time, and answers are in order", async () => {
  const server = await slowServer();
  const events = ["/a", "/b", "/c", "/quick"].map(get);
  const replaying = replayRequests(events, { to: server.url, limits, elapsed });
  await expect.poll(() => server.held.length).toBe(2);
  server.release();
  await expect.poll(() => server.held.length).toBe(1);
  server.release();
  const answered = { kind: "answered", status: 200, leadsTo: null };
  expect(await replaying).toEqual([answered, answered, answered, answered]);
  expect(server.most()).toBe(2);
});

test("a request without a response ends after its time, and is no pass", async () => {
  const server = await slowServer();
  const replayed = await replayRequests([get("/held"), get("/quick"), get("/cut")], {
    to: server.url,
    limits: { ...limits, requestMs: 1_000 },
    elapsed,
  });
  expect(replayed.map(({ kind }) => kind)).toEqual(["no-answer", "answered", "cut"]);
});

test("what has no time left is not sent, and a request that the end of the time cuts is no failure", async () => {
  const server = await slowServer();
  // The time is up after two requests have been sent.
  const times = [0, 0, 0];
  const replayed = await replayRequests([get("/held"), get("/held"), get("/quick")], {
    to: server.url,
    limits: { ...limits, totalMs: 200 },
    elapsed: () => times.pop() ?? 200,
  });
  const outOfTime = { kind: "not-sent", why: "out of time: 0.2 s for all issues" };
  expect(replayed).toEqual([outOfTime, outOfTime, outOfTime]);
});
