import { expect, test } from "vitest";
import { type ServerSignals, silentRequestSignals, silentServerSignals } from "#signals";
import { load, onRequest } from "../author/define.ts";
import { type TestFiles, testApplication } from "../test-application.ts";
import { type EdgePolicy, edgeDefaults } from "./cdn-headers.ts";
import type { PageCache } from "./policy.ts";

const Shown = ({ data }: { data?: unknown }) => <h1>{JSON.stringify(data)}</h1>;
const cache: PageCache = { fresh: "1m", stale: "10m", tags: ["items"] };
const tagged: EdgePolicy = { ...edgeDefaults, tagHeader: "Cache-Tag" };
const page = (server: object): TestFiles => ({
  "items.tsx": { default: Shown },
  "items.server.ts": { cache, data: load(() => "x".repeat(3_000)), ...server },
});

test("a CDN gets the document of a cached page with its times and tags, never its data, and no nonce", async () => {
  const clock = { now: 1_000_000 };
  await using app = await testApplication(page({}), { edge: tagged, now: () => clock.now });
  const first = await app.ask("/items");
  const rest = (seconds: number) => `${seconds}, stale-while-revalidate=600, stale-if-error=600`;
  expect(first.headers).toMatchObject({
    "cache-control": `public, max-age=0, s-maxage=${rest(60)}`,
    "cdn-cache-control": `max-age=${rest(60)}`,
    "cache-tag": "items,/items",
    vary: "Accept-Encoding",
  });
  clock.now += 20_000;
  const later = await app.ask("/items", { headers: { cookie: "session=7", "accept-encoding": "gzip" } });
  expect(later.headers).toMatchObject({ "cdn-cache-control": `max-age=${rest(40)}`, etag: first.headers.etag });
  expect(later.headers["set-cookie"]).toBeUndefined();
  const same = await app.ask("/items", { headers: { "if-none-match": String(first.headers.etag) } });
  expect([same.status, same.headers["cdn-cache-control"], same.headers.vary]).toEqual([
    304,
    `max-age=${rest(40)}`,
    "Accept-Encoding",
  ]);
  const data = await app.ask("/items/_data");
  expect([data.headers["cache-control"], data.headers["cdn-cache-control"]]).toEqual(["private, no-store", undefined]);
});

test("nothing is public that a guard, a cookie, an error or a hook that reads the visitor may decide", async () => {
  const kept = async (files: TestFiles, headers = {}) => {
    await using app = await testApplication(files, { edge: edgeDefaults });
    const { headers: sent } = await app.ask("/items", { headers });
    return [sent["cache-control"], sent["cdn-cache-control"]];
  };
  const hook = (run: Parameters<typeof onRequest>[0]): TestFiles => ({
    ...page({}),
    "request.server.ts": { default: onRequest(run) },
  });
  const nowhere = ["private, no-store", undefined];
  const inBrowser = ["private, no-cache", undefined];
  expect(await kept(page({ guard: () => undefined }))).toEqual(nowhere);
  expect(await kept(page({ data: load(({ cookies }) => cookies.get("session") ?? "") }))).toEqual(nowhere);
  expect(
    await kept(
      page({
        data: load(() => {
          throw new Error("broken");
        }),
      }),
    ),
  ).toEqual(nowhere);
  expect(await kept(hook(({ cookies }) => ({ isSignedIn: cookies.get("session") !== undefined })))).toEqual(inBrowser);
  expect(await kept(hook(({ headers }) => ({ agent: headers.get("user-agent") })))).toEqual(inBrowser);
  expect(await kept(hook(({ url }) => ({ path: url.pathname })))).toEqual([
    expect.stringMatching(/^public/),
    expect.any(String),
  ]);
});

test("without an edge only browsers keep a cached page", async () => {
  await using app = await testApplication(page({}));
  const { headers } = await app.ask("/items");
  expect([headers["cache-control"], headers["cdn-cache-control"]]).toEqual(["private, no-cache", undefined]);
});

test("a document that a CDN stores has no trace, which all its visitors would share", async () => {
  const signals: ServerSignals = {
    ...silentServerSignals,
    request: (_facts, run) => run({ ...silentRequestSignals, handOver: 'sentry-trace;desc="1-2-1"' }),
  };
  for (const edge of [undefined, edgeDefaults]) {
    await using app = await testApplication(page({}), { signals, edge });
    const { headers } = await app.ask("/items");
    expect(String(headers["server-timing"]).includes("sentry-trace")).toBe(edge === undefined);
  }
});
