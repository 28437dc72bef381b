import { connect } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { action, load } from "./author/define.ts";
import { forbidden } from "./author/outcome.ts";
import { type TestApplication, testApplication } from "./test-application.ts";

const marker = "GUARDED-41c2";
const Show = ({ data }: { data: string }) => <p>{data}</p>;
const sayMarker = () => new Response(marker);

/** Everything below /admin is guarded: no spelling may reach the marker. */
const files = {
  "index.tsx": { default: () => <h1>open</h1> },
  "[...rest].tsx": { default: () => <h1>open</h1> },
  "admin/_layout.server.ts": { guard: () => forbidden() },
  "admin/index.tsx": { default: Show },
  "admin/index.server.ts": { data: load(() => marker), actions: { touch: action({}, () => marker) } },
  "admin/[...rest].tsx": { default: Show },
  "admin/[...rest].server.ts": { data: load(() => marker), actions: { touch: action({}, () => marker) } },
  "admin/api.server.ts": { GET: sayMarker, POST: sayMarker },
};

/** Character sequences that other servers have read differently than their guards. */
const pieces = [
  "admin",
  "ADMIN",
  "%61dmin",
  "adm%69n",
  "%2561dmin",
  "a%64min%20",
  "admin%00",
  "admin;x=1",
  "admin.",
  "admin%2e",
  "admin%2F",
  "admin%5C",
  "admin\\",
  "admin%09",
  "ad%C2%ADmin",
  "%EF%BD%81dmin",
  "admin%0d%0aX:1",
  ".",
  "..",
  "%2e",
  "%2E%2e",
  "..;",
  "",
  "_data",
  "_action",
  "touch",
  "api",
  "x",
  "index",
  "admin.server.ts",
  "admin.rsc",
  "_next",
  "%5fdata",
  "_data%2f",
];
const mild = ["admin", "adm%69n", "admin;x=1", "admin.", "api", "x", "index", "touch", "_data", "_action"];
const separators = ["/", "//", "/./", "/../", "\\", "%2f", "%5c", "/;/", "/x/../", "/%2e%2e/"];
const tails = [
  "",
  "/",
  "//",
  "?",
  "?x=1",
  "?admin=/admin",
  "/?",
  "#",
  "%",
  "%2",
  "/_data",
  "/_data/",
  "/_data?x=1",
  "/_action/touch",
  "/_action/touch/_data",
];

/** Most of them are valid; the wilder ones contain at least one part that is always refused. */
const spelling = fc.oneof(
  { weight: 2, arbitrary: spelled(["/", "//"], ["admin", "%61dmin", "adm%69n", "ADMIN"], ["/", "/", "//"]) },
  {
    weight: 1,
    arbitrary: spelled(["/", "//", "/./", "/%2e/", "\\", "http://127.0.0.1/", "//127.0.0.1/", ""], pieces, separators),
  },
);

function spelled(
  heads: readonly string[],
  firsts: readonly string[],
  between: readonly string[],
): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...heads),
      fc.constantFrom(...firsts),
      fc.array(fc.tuple(fc.constantFrom(...between), fc.constantFrom(...(firsts === pieces ? pieces : mild))), {
        maxLength: 3,
      }),
      fc.constantFrom(...tails),
    )
    .map(([head, first, more, tail]) => head + first + more.map((one) => one.join("")).join("") + tail);
}

test("over a thousand spellings of guarded addresses, in every variant, none gets past the guard", {
  timeout: 60_000,
}, async () => {
  await using app = await testApplication(files);
  const seen = new Set<string>();
  let guarded = 0;
  await fc.assert(
    fc.asyncProperty(spelling, fc.constantFrom("GET", "POST", "HEAD"), async (target, method) => {
      seen.add(target);
      const answer = await askRaw(app, method, target);
      expect(answer).not.toContain(marker);
      if (/^HTTP\/1\.1 403/.test(answer)) guarded++;
      // A redirect to the canonical spelling leads to the same guard.
      const [, to] = /^Location: (.*)\r$/m.exec(answer) ?? [];
      if (to !== undefined) {
        expect(to).toMatch(/^\/(?!\/)/);
        const followed = await askRaw(app, "GET", to);
        expect(followed).not.toContain(marker);
        if (/^HTTP\/1\.1 403/.test(followed)) guarded++;
      }
    }),
    { numRuns: 1_200 },
  );
  expect(seen.size).toBeGreaterThan(500);
  // The corpus is meaningful: a good part of it does reach the guard.
  expect(guarded).toBeGreaterThan(200);
});

/** Sends the target byte for byte; a client library would make it canonical first. */
function askRaw(app: TestApplication, method: string, target: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(app.port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", () => socket.destroy());
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
}

test("guards are asked for document, data, action, API route and unknown addresses alike", async () => {
  await using app = await testApplication(files);
  for (const [method, path] of [
    ["GET", "/admin"],
    ["GET", "/admin/_data"],
    ["POST", "/admin/_action/touch"],
    ["POST", "/admin/_action/touch/_data"],
    ["POST", "/admin/_action/unknown"],
    ["GET", "/admin/deep/down"],
    ["GET", "/admin/deep/down/_data"],
    ["GET", "/admin/api"],
    ["POST", "/admin/api"],
    ["OPTIONS", "/admin/api"],
    ["GET", "/admin/api/_data"],
  ] as const) {
    const answer = await app.ask(path, { method });
    expect([method, path, answer.status]).toEqual([method, path, 403]);
    expect(answer.text).not.toContain(marker);
  }
});

test("headers of a client change neither the variant nor the guard", async () => {
  await using app = await testApplication(files);
  const plain = await app.ask("/nothing");
  const names = [
    "x-middleware-subrequest",
    "x-nextjs-data",
    "rsc",
    "next-router-prefetch",
    "x-holdfast-data",
    "x-sveltekit-pathname",
  ];
  const more = [
    "x-original-url",
    "x-rewrite-url",
    "x-http-method-override",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-digest",
    "__proto__",
    "constructor",
  ];
  for (const name of [...names, ...more]) {
    expect([name, (await app.ask("/admin", { headers: { [name]: "/nothing" } })).status]).toEqual([name, 403]);
    const open = await app.ask("/nothing", { headers: { [name]: "1" } });
    expect([name, open.status, open.headers["content-type"]]).toEqual([name, 200, plain.headers["content-type"]]);
  }
});

test("a Host header with anything but a host is refused", async () => {
  await using app = await testApplication(files);
  for (const host of ["x/abc?bar=", "a b", "a@b", "a#b", "a\\b", "127.0.0.1:99999", "[::1", "a:b", "a,b"]) {
    expect([host, (await app.ask("/", { headers: { host } })).status]).toEqual([host, 400]);
  }
  for (const host of ["localhost", "shop.example:8080", "[::1]:3000", "127.0.0.1", "a_b.example"])
    expect([host, (await app.ask("/", { headers: { host } })).status]).toEqual([host, 200]);
});
