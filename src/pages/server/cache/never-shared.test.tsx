import { AsyncLocalStorage } from "node:async_hooks";
import http from "node:http";
import { type ReactNode, use } from "react";
import { expect, test } from "vitest";
import { useNonce, usePage } from "../../react/index.ts";
import { type LoadContext, load, onRequest } from "../author/define.ts";
import { cookieSession } from "../author/session.ts";
import { type TestFiles, testApplication } from "../test-application.ts";
import type { PageCache } from "./policy.ts";

const session = cookieSession<string>({ secret: "s".repeat(32) });
/** Of the application: the server in which it is mounted enters it, as libraries for logs and databases do. */
const ownScope = new AsyncLocalStorage<string>();

/** All ways by which code of the application can reach something of a visitor. */
const accessors: Readonly<Record<string, (context: LoadContext) => unknown>> = {
  cookie: ({ cookies }) => cookies.get("user"),
  "another cookie": ({ cookies }) => cookies.get("theme"),
  session: ({ cookies }) => session.read(cookies) ?? cookies.get("user"),
  "header get": ({ headers }) => headers.get("x-user"),
  "header has": ({ headers }) => headers.has("x-user"),
  "header list": ({ headers }) => [...headers].join(),
  "header entries": ({ headers }) => Object.fromEntries(headers.entries()),
  "header forEach": ({ headers }) => {
    const all: string[] = [];
    headers.forEach((value) => void all.push(value));
    return all;
  },
  "cookie header": ({ headers }) => headers.get("cookie"),
  authorization: ({ headers }) => headers.get("authorization"),
  referer: ({ headers }) => headers.get("referer"),
  local: ({ locals }) => Object(locals).user,
  "nested local": ({ locals }) => Object(locals).account?.name,
  "has local": ({ locals }) => "user" in locals && JSON.stringify(locals),
  "all locals": ({ locals }) => ({ ...locals }),
  "keys of locals": ({ locals }) => Object.values(locals),
  "descriptors of locals": ({ locals }) => Object.getOwnPropertyDescriptors(locals).user?.value as unknown,
  "a copy of the context": ({ ...rest }) => [rest.cookies.get("user"), Object(rest.locals).user],
  "client address": ({ clientAddress }) => clientAddress,
  url: ({ url }) => url.href,
  search: ({ search }) => search.toString(),
  language: ({ lang, method }) => `${lang} ${method}`,
  "own scope": () => ownScope.getStore() ?? "none",
  nothing: () => "the same for all",
};

const policies: readonly PageCache[] = [
  { fresh: 0, stale: "1m" },
  { fresh: "1m" },
  { fresh: "1m", vary: { search: [] } },
  { fresh: "1m", vary: { search: ["q"] } },
  { fresh: "1m", vary: { cookies: ["currency"], search: ["who"] } },
];

type Read = { now: unknown[]; soon: unknown[]; late: Promise<unknown[]> };

function Late({ late }: { late: Promise<unknown[]> }): ReactNode {
  return <p>{JSON.stringify(use(late))}</p>;
}

function Page({ data }: { data: Read }): ReactNode {
  const { path, search } = usePage();
  return (
    <main>
      {path} {search} {JSON.stringify([data.now, data.soon])} <Late late={data.late} />
    </main>
  );
}

function Styled({ data }: { data: Read }): ReactNode {
  return <main nonce={useNonce()}>{JSON.stringify([data.now, data.soon])}</main>;
}

test("two visitors, 10,000 requests, all accessors: no byte of one reaches the other", async () => {
  const random = randomOf(20_261_118);
  const pick = <Value,>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
  const some = (): ((context: LoadContext) => unknown)[] =>
    Array.from({ length: Math.floor(random() * 3) }, () => pick(Object.values(accessors)));
  const reading = () => {
    const [now, soon, late] = [some(), some(), random() < 0.3 ? some() : []];
    return load(async (context): Promise<Read> => {
      const read = (list: typeof now): unknown[] => list.map((one) => one(context));
      const first = read(now);
      await Promise.resolve();
      const waiting = new Promise<void>((resolve) => setImmediate(resolve)).then(() => read(late));
      return { now: first, soon: read(soon), late: waiting };
    });
  };
  const hook = onRequest(
    ({ headers, cookies, response }) => {
      const user = headers.get("x-user") ?? "";
      cookies.set("last-user", user);
      response.setHeader("X-Hook", user);
      return { user, account: { name: user } };
    },
    {
      visitor: ({ user }) => user,
      onResponse: (response, { locals }) => response.setHeader("X-Own", locals.user ?? ""),
    },
  );
  const names = Array.from({ length: 120 }, (_, at) => `p${at}`);
  const files: TestFiles = Object.fromEntries([
    ["request.server.ts", { default: hook }],
    ...names.flatMap((name) => [
      [`${name}.tsx`, { default: random() < 0.1 ? Styled : Page }],
      [`${name}.server.ts`, { cache: pick(policies), data: reading() }],
    ]),
  ]);
  await using app = await testApplication(files, {
    policy: { csp: {}, hsts: false },
    serve: (handler) =>
      http.createServer((incoming, response) =>
        ownScope.run(String(incoming.headers["x-user"]), () => void handler.handle(incoming, response)),
      ),
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 50 });
  const counts = new Map<string, number>();
  const visit = async (user: string, other: string): Promise<void> => {
    const headers = {
      cookie: `user=${user}; theme=${user}; currency=EUR`,
      "x-user": user,
      authorization: `Bearer ${user}`,
      referer: `${app.origin}/?from=${user}`,
      "user-agent": user,
      "accept-language": user,
    };
    const path = `/${pick(names)}${random() < 0.5 ? "" : "/_data"}${random() < 0.5 ? "" : `?q=1&who=${user}`}`;
    const { status, text } = await ask(`${app.origin}${path}`, headers, agent);
    expect([path, status, text.includes(other)]).toEqual([path, 200, false]);
    const kind = /cache;desc="(\w+)/.exec(text)?.[1] ?? "none";
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  };
  for (let round = 0; round < 250; round++)
    await Promise.all(
      Array.from({ length: 40 }, () => {
        const [user = "", other = ""] = random() < 0.5 ? ["ADA-MARK", "BOB-MARK"] : ["BOB-MARK", "ADA-MARK"];
        return visit(user, other);
      }),
    );
  agent.destroy();
  expect(app.recorded).toEqual([]);
  // The test means nothing if one of them does not happen.
  for (const kind of ["hit", "stale", "miss", "bypass"])
    expect([kind, counts.get(kind) ?? 0]).toEqual([kind, expect.any(Number)]);
  expect(Math.min(...["hit", "stale", "miss", "bypass"].map((kind) => counts.get(kind) ?? 0))).toBeGreaterThan(50);
}, 120_000);

/** The whole response, with its head. */
function ask(
  address: string,
  headers: http.OutgoingHttpHeaders,
  agent: http.Agent,
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  http
    .get(address, { headers, agent }, (response) => {
      let text = response.rawHeaders.join("\n");
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    })
    .on("error", reject);
  return promise;
}

/** Numbers from 0 to 1, the same in each run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
