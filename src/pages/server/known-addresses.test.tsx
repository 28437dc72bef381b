import { expect, test } from "vitest";
import type { Exchange } from "#http";
import { type HitFacts, silentServerSignals } from "#signals";
import { load } from "./author/define.ts";
import { invalidate } from "./author/invalidate.ts";
import type { PageCache } from "./cache/policy.ts";
import type { HandlerOptions } from "./index.ts";
import { KnownAddresses } from "./known-addresses.ts";
import { type Answered, type TestFiles, testApplication } from "./test-application.ts";

const files: TestFiles = {
  "items.tsx": { default: ({ data }: { data?: unknown }) => <h1>{JSON.stringify(data)}</h1> },
  "items.server.ts": {
    cache: { fresh: "1m", tags: ["items"] } satisfies PageCache,
    data: load(() => "x".repeat(3_000)),
  },
};

const timing = ({ headers }: Answered): string =>
  /cache;desc="([^"]*)"/.exec(String(headers["server-timing"]))?.[1] ?? "";

test("a known address is answered as before, counted, and asked for again when its page has changed", async () => {
  const hits: HitFacts[] = [];
  const signals = {
    ...silentServerSignals,
    hit: (_facts: unknown, hit: HitFacts) => {
      hits.push(hit);
      return 'sentry-trace;desc="1-2-0"';
    },
  };
  await using app = await testApplication(files, { signals });
  for (const target of ["/items", "/items/_data"]) {
    const [first, ...known] = [await app.ask(target), await app.ask(target), await app.ask(target)];
    expect(known.map(({ status, text }) => [status, text])).toEqual([
      [200, first?.text],
      [200, first?.text],
    ]);
    expect(known.map(timing)).toEqual(["hit", "hit"]);
  }
  expect(hits.map(({ route, variant, status }) => [route, variant, status])).toEqual([
    ["/items", "document", 200],
    ["/items", "document", 200],
    ["/items", "data", 200],
    ["/items", "data", 200],
    ["/items", "data", 200],
  ]);
  const { etag } = (await app.ask("/items")).headers;
  const again = await app.ask("/items", { headers: { "if-none-match": String(etag) } });
  expect([again.status, timing(again), hits.at(-1)?.status]).toEqual([304, "hit", 304]);
  invalidate("items");
  expect([timing(await app.ask("/items")), timing(await app.ask("/items"))]).toEqual(["miss", "hit"]);
});

test("the same address of another host or origin is another page, and few addresses are known", () => {
  const known = new KnownAddresses(({ headers }) => `${headers["x-forwarded-proto"]}://${headers.host}`, undefined);
  const exchangeOf = (url: string, host: string, scheme = "https"): Exchange =>
    ({ incoming: { url, headers: { host, "x-forwarded-proto": scheme } } }) as unknown as Exchange;
  const sent: string[] = [];
  const remember = (url: string): void => {
    const { incoming } = exchangeOf(url, "a.example");
    known.remember(incoming, "https://a.example", { route: url, send: () => sent.push(url) > 0 });
  };
  remember("/items");
  expect(known.answer(exchangeOf("/items", "b.example"))).toBe(false);
  expect(known.answer(exchangeOf("/items", "a.example", "http"))).toBe(false);
  expect(known.answer(exchangeOf("/items?page=2", "a.example"))).toBe(false);
  expect(known.answer(exchangeOf("/items", "a.example"))).toBe(true);
  remember(`/${"x".repeat(1_000)}`);
  expect(known.answer(exchangeOf(`/${"x".repeat(1_000)}`, "a.example"))).toBe(false);
  const host = `${"x".repeat(1_000)}.example`;
  const { incoming } = exchangeOf("/about", host);
  known.remember(incoming, `https://${host}`, { route: "/about", send: () => true });
  expect(known.answer(exchangeOf("/about", host))).toBe(false);
  for (let at = 0; at < 1_000; at++) remember(`/${at}`);
  expect(known.answer(exchangeOf("/items", "a.example"))).toBe(false);
  // Only the oldest gives way.
  expect(known.answer(exchangeOf("/0", "a.example"))).toBe(true);
  expect(sent).toEqual(["/items", "/0"]);
});

test("a page with a header that belongs to each response is cached, and written for each request", async () => {
  const inline = new Map([["content-disposition", { name: "Content-Disposition", value: "inline" }]]);
  await using app = await testApplication(files, { headersFor: () => inline });
  const seen = [await app.ask("/items"), await app.ask("/items"), await app.ask("/items")];
  expect(seen.map((one) => [one.status, timing(one), one.headers["content-disposition"]])).toEqual([
    [200, "miss", "inline"],
    [200, "hit", "inline"],
    [200, "hit", "inline"],
  ]);
});

test("the watch of routes learns of every answer, and another build may answer", async () => {
  const seen: string[] = [];
  let isOwn = true;
  const watch: HandlerOptions["watch"] = {
    isOwn: () => isOwn,
    answer: ({ exchange: { response } }, answer) => (isOwn ? answer() : void response.end("from another build")),
    answered: ({ route, kind }, hasFailed) => seen.push(`${kind} ${route} ${hasFailed}`),
  };
  await using app = await testApplication(files, { watch });
  for (let asked = 0; asked < 4; asked++) await app.ask("/items");
  expect(seen).toEqual(Array(4).fill("page /items false"));
  isOwn = false;
  expect((await app.ask("/items")).text).toBe("from another build");
  expect(seen).toHaveLength(4);
});
