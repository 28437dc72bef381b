import { once } from "node:events";
import { request as ask, createServer, get, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Breadcrumbs } from "../../breadcrumbs.ts";
import { reportingLimits } from "../../limits.ts";
import { createScrub } from "../../scrub/scrub.ts";
import type { Identity } from "../../trace/identity.ts";
import { TraceSegment } from "../../trace/trace.ts";
import { type RequestTraceContext, requestScope } from "../request-context.ts";
import { watchCalls } from "./watch-calls.ts";

test("requests by either client are spans and steps of the request that makes them, and carry the trace to targets alone", async () => {
  const [target, stranger] = [await peer(), await peer()];
  watching([target.url]);
  const request = requestContext();
  await requestScope.run({ request, span: undefined }, async () => {
    for (const { url } of [target, stranger]) {
      await (await fetch(`${url}/fetched?token=hunter2`)).text();
      const [answer] = await once(get(`${url}/got?token=hunter2`), "response");
      answer.resume();
    }
    await once(get("http://127.0.0.1:1/refused"), "error");
    // Headers in a list are sent before they can be extended.
    const listed = ask(`${target.url}/listed`, { headers: ["Host", "peer.example", "X-A", "1"] }).end();
    (await once(listed, "response"))[0].resume();
  });

  const spans = request.segment.wireSpans(Date.now());
  expect(spans.map(({ description, status }) => `${description} ${status}`)).toEqual([
    `GET ${target.url}/fetched ok`,
    `GET ${target.url}/got ok`,
    `GET ${stranger.url}/fetched ok`,
    `GET ${stranger.url}/got ok`,
    "GET http://127.0.0.1:1/refused internal_error",
    // Nor does it say its port then.
    "GET http://127.0.0.1/listed ok",
  ]);
  expect(request.steps.all.map(({ message }) => message.split(" ").at(-1))).toEqual([
    "200",
    "200",
    "200",
    "200",
    "failed",
    "200",
  ]);
  const [fetched, got, listed] = target.seen;
  for (const [at, headers] of [fetched, got].entries()) {
    expect(headers?.["sentry-trace"]).toBe(`${request.segment.traceId}-${spans[at]?.span_id}-1`);
    expect(headers?.baggage).toContain(`sentry-trace_id=${request.segment.traceId}`);
  }
  expect([listed?.["x-a"], listed?.["sentry-trace"]]).toEqual(["1", undefined]);
  for (const headers of stranger.seen)
    expect([headers["sentry-trace"], headers.baggage, headers.traceparent]).toEqual([undefined, undefined, undefined]);
});

test("deliveries of reports do not belong to the request during which they happen", async () => {
  const service = await peer();
  watching([service.url]);
  const request = requestContext();
  await requestScope.run({ request, span: undefined }, async () => {
    const sent = ask(service.url, { method: "POST", headers: { "X-Sentry-Auth": "Sentry sentry_key=k" } }).end();
    (await once(sent, "response"))[0].resume();
  });
  expect(service.seen[0]?.["sentry-trace"]).toBeUndefined();
  expect([request.segment.wireSpans(0), request.steps.all]).toEqual([[], []]);
});

const identity: Identity = {
  sdk: { name: "test", version: "1" },
  platform: "node",
  release: "r1",
  environment: "test",
  contexts: {},
};

function watching(targets: readonly string[]): void {
  onTestFinished(watchCalls({ identity, scrub: createScrub(), now: Date.now, targets }));
}

function requestContext(): RequestTraceContext {
  const start = { parent: undefined, sampled: true, sampleRate: 1, op: "http.server", name: "GET /", startMs: 0 };
  return {
    kind: "request",
    facts: { method: "GET", target: "/", header: () => undefined },
    segment: new TraceSegment(start, reportingLimits.spans),
    steps: new Breadcrumbs(reportingLimits.steps),
    route: "/",
    params: {},
    variant: "document",
    budget: undefined,
    release: undefined,
    user: undefined,
    cached: undefined,
  };
}

async function peer(): Promise<{ url: string; seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, response) => {
    seen.push(incoming.headers);
    response.end("well");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
