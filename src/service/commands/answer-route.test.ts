import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { digestOf, jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openReader } from "../open-reader.ts";
import { openService } from "../open-service.ts";
import { createServiceServer } from "../serve.ts";
import { LazyReader } from "../stores/lazy-reader.ts";
import { createAnswerRoute } from "./answer-route.ts";

test("a service tells an application with its public key the state of a digest, a limited number of times", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-answer-route-"));
  const service = await openService({ dataFolder });
  const reader = new LazyReader(() => openReader(dataFolder));
  const { projects, refusals } = service;
  const answers = createAnswerRoute({ projects, store: () => reader.get(), now: Date.now, refusals });
  const server = createServiceServer(service, { answers }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close().closeAllConnections();
    await reader.close();
    await service.close();
    rmSync(dataFolder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, init);
  const id = newEventId();
  const event = { event_id: id, exception: { values: [{ type: "Error", value: "The vault is open" }] } };
  await service.accept(1, writeEnvelope({ eventId: id }, [jsonItem("event", event)]));
  await service.drained();
  const [digest, key] = [digestOf(id), projects.byId(1)?.publicKey];

  const known = await ask(`/api/1/answer/${digest}?sentry_key=${key}`);
  expect([known.headers.get("cache-control"), await known.text()]).toEqual(["private, no-store", '{"state":"known"}']);
  const headers = { "X-Sentry-Auth": `Sentry sentry_version=7, sentry_key=${key}` };
  for (const [code, state] of [
    [digest.toLowerCase(), "known"],
    [digestOf(newEventId()), "unknown"],
    ["x", "unknown"],
    ["%ff", "unknown"],
  ])
    expect(await (await ask(`/_holdfast/api/1/answer/${code}`, { headers })).json()).toEqual({ state });

  const wrong = [
    await ask(`/api/1/answer/${digest}`),
    await ask(`/api/1/answer/${digest}?sentry_key=${"0".repeat(32)}`),
    await ask(`/api/2/answer/${digest}?sentry_key=${key}`),
    await ask(`/api/1/answer/${digest}`, { method: "POST", headers }),
    await ask(`/api/1/answer/${"x".repeat(101)}`, { headers }),
  ];
  expect(wrong.map(({ status }) => status)).toEqual([401, 403, 403, 405, 404]);

  let last = known;
  while (last.status === 200) last = await ask("/api/1/answer/x", { headers });
  expect([last.status, Number(last.headers.get("retry-after")) > 0, refusals.totals.get("answers")]).toEqual([
    429,
    true,
    1,
  ]);
});
