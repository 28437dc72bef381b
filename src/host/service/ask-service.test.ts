import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { askService } from "./ask-service.ts";

const digest = "7K2M-9QXD-4TBA";
const key = "c".repeat(32);

test("An application asks the service of its DSN by the public key, and everything but a state is unknown", async () => {
  const asked: unknown[] = [];
  let answer: { status?: number; location?: string; body?: string } = {};
  const server = createServer(({ url, headers }, response) => {
    asked.push([url, headers["x-sentry-auth"]]);
    const { status = 200, location, body = "" } = answer;
    response.writeHead(status, location ? { Location: location } : {}).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dsn = `http://${key}@${at}/errors/7`;
  const told = async (given: typeof answer): Promise<string> => {
    answer = given;
    return askService(dsn, digest, "shop@2.0.0 b");
  };
  expect(await told({ body: '{"state":"repaired"}' })).toBe("repaired");
  const auth = `Sentry sentry_version=7, sentry_client=holdfast/1, sentry_key=${key}`;
  expect(asked).toEqual([[`/errors/api/7/answer/${digest}?release=shop%402.0.0+b`, auth]]);
  expect(await told({ body: '{"state":"in-repair"}' })).toBe("in-repair");
  for (const given of [
    { body: '{"state":"<b>"}' },
    { body: "<html>" },
    { body: "7" },
    { status: 404, body: '{"state":"known"}' },
    { status: 302, location: `http://${at}/` },
  ])
    expect([given, await told(given)]).toEqual([given, "unknown"]);
  const questions = asked.length;
  for (const [where, code] of [
    [`http://${key}@127.0.0.1:1/1`, digest],
    ["errors.example", digest],
    [dsn, "../1"],
  ] as const)
    expect([where, await askService(where, code, undefined)]).toEqual([where, "unknown"]);
  expect(asked.length).toBe(questions);
});
