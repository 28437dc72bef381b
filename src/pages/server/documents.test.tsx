import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import zlib from "node:zlib";
import { type ReactNode, Suspense, use } from "react";
import { expect, test } from "vitest";
import { Await } from "../react/index.ts";
import { load, onRequest } from "./author/define.ts";
import { dataLinesOf, type TestFiles, testApplication } from "./test-application.ts";

const Fine = () => <h1>fine</h1>;
const Late = ({ data }: { data: { part: Promise<string> } }) => (
  <main>
    <h1>begun</h1>
    <Await value={data.part} fallback={<p>waiting</p>}>
      {(part) => <p>{part}</p>}
    </Await>
  </main>
);
const SuspendingInside = () => (
  <Suspense fallback="waiting">
    <Suspending />
  </Suspense>
);
const Titled = () => <title>a title</title>;
const Team = ({ data, children }: { data: { team: string }; children: ReactNode }) => (
  <div>
    {data.team}
    {children}
  </div>
);
const NotInTeam = () => <h1>not in this team</h1>;
const sayX = () => new Response("x");
const sayHello = () => new Response("hello", { headers: { "x-a": "b" } });
const setOwnCookie = () => new Response("x", { headers: { "set-cookie": "own=1" } });

let suspendedFor: Promise<string> | undefined;
function Suspending(): ReactNode {
  suspendedFor ??= wait(5, "suspended");
  return <p>{use(suspendedFor)}</p>;
}

const long = "long ".repeat(20_000);

function latePage(part: () => Promise<string>, more: object = {}): TestFiles {
  return { "index.tsx": { default: Late }, "index.server.ts": { data: load(() => ({ part: part() })), ...more } };
}

test("a document has its language, its head, its data and the script that hydrates it, under a policy that allows only these", async () => {
  const files = {
    "index.tsx": { default: Titled },
    "index.server.ts": { data: load(() => ({ a: 1 })) },
  };
  await using app = await testApplication(files, { lang: "de" });
  const page = await app.ask("/");
  expect(page.status).toBe(200);
  expect(page.text).toMatch(
    /^<!DOCTYPE html><html lang="de"><head><meta charset="utf-8">.*<title>a title<\/title><\/head>/,
  );
  expect(page.text).toMatch(
    /<script id="holdfast-page" type="application\/vnd\.holdfast\.page-data">\{"build".*\n\{.*"data":\[\["~u"\],\{"a":1\}\]/,
  );
  const [, nonce] =
    /<script nonce="([^"]+)">[^<]*import\("\/_assets\/entry\.js"\)[^<]*<\/script>/.exec(page.text) ?? [];
  expect(page.headers["content-security-policy"]).toContain(`script-src 'nonce-${nonce}' 'strict-dynamic'`);
  expect(page.headers["cache-control"]).toBe("private, no-store");
  expect(page.headers["x-content-type-options"]).toBe("nosniff");
  expect((await app.ask("/")).text).not.toContain(nonce);
});

test("HEAD responds like GET, without the body, for every kind of response", async () => {
  await using app = await testApplication({
    ...latePage(() => Promise.resolve("soon")),
    "fine.tsx": { default: Fine },
    "cached.tsx": { default: Fine },
    "cached.server.ts": { cache: "public, max-age=60" },
    "api.server.ts": { GET: sayHello },
  });
  for (const path of ["/", "/fine", "/cached", "/_data", "/fine/_data", "/nowhere", "/api"]) {
    const [get, head] = [await app.ask(path), await app.ask(path, { method: "HEAD" })];
    expect([path, head.status, head.text]).toEqual([path, get.status, ""]);
    expect([path, head.headers["content-type"]]).toEqual([path, get.headers["content-type"]]);
  }
});

test("what is ready is sent at once; the rest follows when it is there, also when it is compressed", async () => {
  for (const encoding of ["identity", "gzip", "br", "zstd"]) {
    const { promise: part, resolve: come } = Promise.withResolvers<string>();
    await using app = await testApplication(latePage(() => part));
    // The rest is sent only after the first part has arrived: if that were buffered, the test would hang.
    const arrived: Buffer[] = [];
    const page = await app.ask("/", {
      headers: { accept: "text/html", "accept-encoding": encoding },
      onPiece: (bytes) => {
        arrived.push(bytes);
        if (unpacked(arrived, encoding).includes("waiting")) come("at last");
      },
    });
    expect(page.headers["content-encoding"]).toBe(encoding === "identity" ? undefined : encoding);
    expect(unpacked(page.pieces, encoding)).toContain("at last");
  }
});

/** What a browser can show of the bytes so far. */
function unpacked(bytes: readonly Buffer[], encoding: string): string {
  const all = Buffer.concat(bytes);
  const soFar = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  if (encoding === "gzip") return zlib.gunzipSync(all, soFar).toString();
  if (encoding === "br")
    return zlib.brotliDecompressSync(all, { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }).toString();
  if (encoding === "zstd") return zlib.zstdDecompressSync(all, { finishFlush: zlib.constants.ZSTD_e_flush }).toString();
  return all.toString();
}

test("a crawler, and a client that does not accept HTML, gets the complete document without scripts that move parts", async () => {
  await using app = await testApplication(latePage(() => wait(20, `at last ${long}`)));
  for (const headers of [
    { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)", accept: "text/html" },
    { accept: "*/*" },
    { accept: "text/markdown" },
  ]) {
    const page = await app.ask("/", { headers });
    expect(page.text).toMatch(/<main><h1>begun<\/h1><!--\$--><p>at last/);
    expect(page.text).not.toMatch(/<template|\$RC|waiting/);
  }
  expect((await app.ask("/", { headers: { accept: "text/html" } })).text).toContain("waiting");
});

test("a page that suspends by itself is rendered too, the first time and later", async () => {
  await using app = await testApplication({
    "bare.tsx": { default: Suspending },
    "inside.tsx": { default: SuspendingInside },
  });
  for (const path of ["/bare", "/inside", "/bare", "/inside"]) {
    suspendedFor = undefined;
    const page = await app.ask(path);
    expect([page.status, page.text.includes("suspended")]).toEqual([200, true]);
  }
});

test("a page that may be cached has a tag, is complete, allows its scripts by hash and contains nothing of this visitor", async () => {
  await using app = await testApplication(latePage(() => wait(20, "at last"), { cache: "public, max-age=60" }));
  const page = await app.ask("/", { headers: { accept: "text/html", cookie: "__Host-session=abc" } });
  expect(page.headers["cache-control"]).toBe("public, max-age=60");
  expect(page.text).toContain("<p>at last</p>");
  expect(page.text).toContain('"tag":""');
  expect(page.text).not.toContain("nonce");
  const allowed = page.headers["content-security-policy"]?.toString() ?? "";
  const inline = [...page.text.matchAll(/<script>(.*?)<\/script>/g)].map(([, code = ""]) => code);
  expect(inline).toHaveLength(2);
  for (const code of inline) expect(allowed).toContain(sha256(code));
  const tag = page.headers.etag ?? "";
  const again = await app.ask("/", { headers: { "if-none-match": `"other", ${tag}` } });
  expect([again.status, again.text, again.headers.etag]).toEqual([304, "", tag]);
  expect((await app.ask("/", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

test("a page that may be kept is not kept where a cookie was set or something failed", async () => {
  const hook = onRequest(({ url, cookies }) => {
    if (url.searchParams.has("cookie")) cookies.set("a", "b");
    return {};
  });
  await using app = await testApplication({
    "request.server.ts": { default: hook },
    ...latePage(() => Promise.reject(new Error("late")), { cache: "public, max-age=60" }),
    "fine.tsx": { default: Fine },
    "fine.server.ts": { cache: "public, max-age=60" },
  });
  expect((await app.ask("/fine")).headers["cache-control"]).toBe("public, max-age=60");
  const withCookie = await app.ask("/fine?cookie=1");
  expect([withCookie.headers["cache-control"], withCookie.headers["set-cookie"]?.length]).toEqual([
    "private, no-store",
    1,
  ]);
  expect((await app.ask("/")).headers["cache-control"]).toBe("private, no-store");
});

test("cookies of hook and guard are on every response: page, data, redirect, not-found, error, API", async () => {
  const hook = onRequest(({ cookies }) => {
    cookies.set("seen", "1");
    return {};
  });
  const fail = () => {
    throw new Error("x");
  };
  await using app = await testApplication({
    "request.server.ts": { default: hook },
    "index.tsx": { default: Fine },
    "bad.tsx": { default: Fine },
    "bad.server.ts": { data: load(fail) },
    "api.server.ts": { GET: setOwnCookie },
  });
  for (const [path, method] of [
    ["/", "GET"],
    ["/_data", "GET"],
    ["/nowhere", "GET"],
    ["/nowhere/_data", "GET"],
    ["/bad", "GET"],
    ["/bad/_data", "GET"],
    ["/api", "GET"],
    ["/api", "POST"],
    ["/api", "OPTIONS"],
  ] as const) {
    const answer = await app.ask(path, { method });
    expect([path, method, answer.headers["set-cookie"]?.at(-1)]).toEqual([
      path,
      method,
      "seen=1; Path=/; HttpOnly; Secure; SameSite=Lax",
    ]);
  }
});

test("a cookie set while loading is refused, whether the load is quick or slow", async () => {
  const setter = (ms: number) =>
    load(async ({ cookies }) => {
      await wait(ms);
      cookies.set("late", "1");
    });
  await using app = await testApplication({
    "quick.tsx": { default: Fine },
    "quick.server.ts": { data: setter(0) },
    "slow.tsx": { default: Fine },
    "slow.server.ts": { data: setter(150) },
  });
  for (const path of ["/quick", "/quick/_data", "/slow", "/slow/_data"]) {
    await app.ask(path);
    expect(String(app.recorded.at(-1)?.error)).toContain("[cookie-too-late]");
  }
});

test("page data arrives in one piece when it is quick, otherwise with an early preamble and heartbeats", async () => {
  const slowLoad = Promise.withResolvers<{ a: number }>();
  await using app = await testApplication(
    {
      "quick.tsx": { default: Fine },
      "quick.server.ts": { data: load(() => ({ a: 1 })), fresh: 5, expires: 60 },
      "slow.tsx": { default: Fine },
      "slow.server.ts": { data: load(() => slowLoad.promise) },
    },
    { limits: { preambleMs: 20, heartbeatMs: 25 } },
  );
  const quick = await app.ask("/quick/_data");
  expect(quick.headers["content-length"]).toBe(String(quick.text.length));
  expect(quick.headers["content-type"]).toBe("application/vnd.holdfast.page-data");
  expect(dataLinesOf(quick.text)).toEqual([
    { build: "test-build", route: "/quick", fresh: 5000, expires: 60_000, tag: "" },
    { kind: "page", status: 200, params: {}, html: { lang: "en" }, data: [["~u"], { a: 1 }] },
    { kind: "end" },
  ]);
  let pieces = 0;
  const slow = await app.ask("/slow/_data", {
    onPiece: () => {
      pieces += 1;
      if (pieces === 2) slowLoad.resolve({ a: 1 });
    },
  });
  expect(slow.pieces[0]?.toString()).toMatch(/^\{"build":"test-build"/);
  expect(slow.text).toMatch(/^\{"build".*\}\n\n+\{"kind":"page"/);
  expect(dataLinesOf(slow.text).slice(1)).toEqual([
    { kind: "page", status: 200, params: {}, html: { lang: "en" }, data: [["~u"], { a: 1 }] },
    { kind: "end" },
  ]);
});

test("heartbeats continue while late parts are awaited, even after a quick response", async () => {
  let late = Promise.withResolvers<string>();
  await using app = await testApplication(
    {
      "index.tsx": { default: Fine },
      "index.server.ts": { data: load(() => ({ slow: late.promise })) },
    },
    { limits: { heartbeatMs: 20 } },
  );
  for (const encoding of ["identity", "gzip"]) {
    late = Promise.withResolvers();
    const pieces: Buffer[] = [];
    await app.ask("/_data", {
      headers: { "accept-encoding": encoding },
      onPiece: (piece) => {
        pieces.push(piece);
        if (pieces.length === 5) late.resolve("late");
      },
    });
    const text =
      encoding === "gzip" ? zlib.gunzipSync(Buffer.concat(pieces)).toString() : Buffer.concat(pieces).toString();
    expect(text).toMatch(/"slow":\["~p",1\].*\n\n\n+\{"late":1,"value":"late"\}/);
  }
});

test("the data of a layout that looks like a tag is not taken for one", async () => {
  await using app = await testApplication({
    "_layout.server.ts": { data: load(() => "~d") },
    "index.tsx": { default: Fine },
  });
  expect(dataLinesOf((await app.ask("/_data")).text)[1]).toMatchObject({ data: ["~d", ["~u"]] });
});

test("an API route has no page data, and no action", async () => {
  await using app = await testApplication({
    "api.server.ts": { GET: sayX, POST: sayX },
  });
  expect((await app.ask("/api/_data")).status).toBe(404);
  expect((await app.ask("/api/_action/x", { method: "POST", body: "" })).status).toBe(404);
});

test("a visitor who leaves ends the load by its signal; nothing is recorded, and no timer is left", async () => {
  const signals: AbortSignal[] = [];
  const ended: unknown[] = [];
  await using app = await testApplication({
    "load.tsx": { default: Fine },
    "load.server.ts": {
      data: load(async ({ signal }) => {
        signals.push(signal);
        await wait(5_000, undefined, { signal }).finally(() => ended.push("load"));
      }),
    },
    ...latePage(() => new Promise(() => undefined)),
  });
  for (const path of ["/load", "/load/_data", "/", "/_data"]) {
    const socket = connect(app.port, "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n`);
    const begun = signals.length + 1;
    await (path.startsWith("/load") ? expect.poll(() => signals.length).toBe(begun) : once(socket, "data"));
    socket.destroy();
  }
  await expect.poll(() => ended).toEqual(["load", "load"]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  await expect.poll(() => app.connections()).toBe(0);
  expect(app.recorded).toEqual([]);
});

test("an unknown address in a folder with a parameter gives that folder's guard and layout the parameter", async () => {
  const seen: unknown[] = [];
  await using app = await testApplication({
    "[team]/_layout.tsx": { default: Team },
    "[team]/_layout.server.ts": {
      guard: ({ params }: { params: { team: string } }) => void seen.push(params.team),
      data: load(({ params }) => ({ team: `team ${(params as { team: string }).team}` })),
    },
    "[team]/_not-found.tsx": { default: NotInTeam },
    "[team]/page.tsx": { default: Fine },
  });
  const page = await app.ask("/green%20ones/nothing/here");
  expect([page.status, seen]).toEqual([404, ["green ones"]]);
  expect(page.text).toContain("team green ones<h1>not in this team</h1>");
});
