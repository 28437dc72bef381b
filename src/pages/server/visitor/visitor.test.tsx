import { expect, test } from "vitest";
import { silentServerSignals } from "#signals";
import { action, load, onRequest } from "../author/define.ts";
import { dataLinesOf, type TestApplication, type TestFiles, testApplication } from "../test-application.ts";

const api = { GET: (request: Request) => new Response(request.headers.get("cookie")) };

const page = { "index.tsx": { default: () => <h1>The page</h1> } };

async function tagOf(app: TestApplication, cookie: string, path = "/_data"): Promise<string> {
  const { text } = await app.ask(path, { headers: cookie ? { cookie } : {} });
  return (dataLinesOf(text)[0] as { tag: string }).tag;
}

/** How many different tags visitors with these cookies get, once the application has read its cookies. */
async function visitorsOf(files: TestFiles, cookies: readonly string[], path?: string): Promise<number> {
  await using app = await testApplication({ ...page, ...files });
  await tagOf(app, cookies[0] ?? "", path);
  const tags: string[] = [];
  for (const cookie of cookies) tags.push(await tagOf(app, cookie, path));
  return new Set(tags).size;
}

const readers: Record<string, TestFiles> = {
  "the request hook": {
    "request.server.ts": { default: onRequest(({ cookies }) => ({ user: cookies.get("my-own") })) },
  },
  "a guard": {
    "index.server.ts": { guard: ({ cookies }: never) => (cookies as { get(n: string): string }).get("my-own") },
  },
  "a load": { "index.server.ts": { data: load(({ cookies }) => ({ user: cookies.get("my-own") })) } },
};

test.each(Object.entries(readers))(
  "a cookie of any name that %s reads distinguishes visitors; others do not",
  async (_, files) => {
    const cookies = ["my-own=ada", "my-own=bob", "", "my-own=ada; seen=1", "my-own=ada; __Host-other=2", "seen=1"];
    expect(await visitorsOf(files, cookies)).toBe(3);
  },
);

test("all cookies except the framework's own count when they are read as a whole", async () => {
  const reads: ((headers: Headers) => unknown)[] = [
    (headers) => headers.get("Cookie"),
    (headers) => [...headers],
    (headers) => Object.fromEntries(headers.entries()),
    (headers) => headers.forEach((value) => void value),
    (headers) => [...headers.values()],
    (headers) => new Headers(headers).get("cookie"),
    (headers) => new Request("http://a.example", { headers }).headers.get("cookie"),
  ];
  for (const read of reads) {
    const files = {
      "request.server.ts": {
        default: onRequest(({ headers }) => {
          read(headers);
          return {};
        }),
      },
    };
    expect(await visitorsOf(files, ["a=1", "a=2", "a=1; b=1", "a=1; holdfast-changed=17"]), String(read)).toBe(3);
  }
});

test("reading other headers, or cookies in an API route, does not change the tag", async () => {
  await using app = await testApplication({
    ...page,
    "request.server.ts": { default: onRequest(({ headers }) => ({ agent: headers.get("user-agent") })) },
    "api.server.ts": api,
  });
  expect((await app.ask("/api", { headers: { cookie: "a=1" } })).text).toBe("a=1");
  expect([await tagOf(app, "a=1"), await tagOf(app, "a=2")]).toEqual(["", ""]);
});

test("an application that says who its visitor is may renew its cookie with every request", async () => {
  let renewals = 0;
  const files = {
    ...page,
    "request.server.ts": {
      default: onRequest(
        ({ cookies }) => {
          const user = cookies.get("sid")?.split(".")[0];
          if (user) cookies.set("sid", `${user}.${++renewals}`);
          return { user };
        },
        { visitor: ({ user }) => user },
      ),
    },
    "index.server.ts": { actions: { save: action({}, () => "saved") } },
  };
  await using app = await testApplication(files);
  const [ada, renewed, bob, nobody] = [
    await tagOf(app, "sid=ada.1"),
    await tagOf(app, "sid=ada.2"),
    await tagOf(app, "sid=bob.1"),
    await tagOf(app, ""),
  ];
  expect([renewed, nobody, bob === ada, ada === ""]).toEqual([ada, "", false, false]);
  // A cookie that the hook renews does not count as a change of session.
  const answer = await app.ask("/_action/save/_data", {
    method: "POST",
    body: "_form=save+7",
    headers: { "content-type": "application/x-www-form-urlencoded", "content-length": "12", cookie: "sid=ada.1" },
  });
  expect(dataLinesOf(answer.text)[1]).toMatchObject({ outcome: { kind: "done" }, session: false });
});

test("what a browser sends again runs only for the visitor who sent it first", async () => {
  const identity = ({ cookies }: { cookies: { get(name: string): string | undefined } }) => cookies.get("sid");
  let runs = 0;
  const files = (visitor: boolean) => ({
    ...page,
    "request.server.ts": {
      default: visitor
        ? onRequest(({ cookies }) => ({ user: cookies.get("sid") ?? "" }), {
            visitor: ({ user }) => user.split(".")[0],
          })
        : onRequest(() => ({})),
    },
    "index.server.ts": {
      actions: {
        // Without a memory such an action runs only if its sender gives no key.
        order: action({ keeps: { identity } }, () => {
          runs += 1;
        }),
        star: action({}, () => undefined),
      },
    },
  });
  const keepsOf = async (app: TestApplication, cookie: string) =>
    dataLinesOf((await app.ask("/_data", { headers: { cookie } })).text)[1] as {
      keeps: { actions: string[]; visitor: string; hours: number };
    };
  const send = async (app: TestApplication, cookie: string, visitor: string): Promise<unknown> => {
    const body = new URLSearchParams({ _form: "order 1", _visitor: visitor }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded", "content-length": String(body.length) };
    const { text } = await app.ask("/_action/order/_data", { method: "POST", body, headers: { ...type, cookie } });
    const { outcome, ran } = dataLinesOf(text)[1] as { outcome: { kind: string; why?: string }; ran: boolean };
    return outcome.why ?? `${outcome.kind} ${ran}`;
  };
  // By all cookies as long as the application has read none, then by those that it reads, then by what it says itself.
  for (const isNamed of [false, true]) {
    await using app = await testApplication(files(isNamed));
    const { keeps } = await keepsOf(app, "sid=ada.1");
    expect(keeps).toMatchObject({ actions: ["order"], hours: 20 });
    expect(await send(app, "sid=bob.1", keeps.visitor)).toBe("other-visitor");
    expect(await send(app, isNamed ? "sid=ada.2" : "sid=ada.1", keeps.visitor)).toBe("done true");
    expect(await send(app, "", (await keepsOf(app, "sid=ada.1")).keeps.visitor)).toBe("other-visitor");
    for (const wrong of ["", "x", "[]", "[7,7]", '[["sid"],7]', "[".repeat(5_000)])
      expect(await send(app, "sid=ada.1", wrong)).toBe("other-visitor");
  }
  expect(runs).toBe(2);
  await using off = await testApplication(files(true), { limits: { resendHours: 0 } });
  expect(await keepsOf(off, "sid=ada.1")).not.toHaveProperty("keeps");
});

test("a browser that comes back to an action which is gone learns it with the digest of one event", async () => {
  const events: unknown[] = [];
  const signals = {
    ...silentServerSignals,
    errorCaught: (error: unknown) => {
      events.push(error);
      return { kind: "recorded", eventId: "7", digest: "7K2M-9QXD-4TBA", durable: Promise.resolve() } as const;
    },
  };
  const kept = { order: action({ keeps: true }, () => undefined) };
  let visitor = "";
  {
    await using app = await testApplication({ ...page, "index.server.ts": { actions: kept } });
    const { text } = await app.ask("/_data", { headers: { cookie: "sid=ada" } });
    ({ visitor } = (dataLinesOf(text)[1] as { keeps: { visitor: string } }).keeps);
  }
  await using app = await testApplication(page, { signals });
  const ask = async (cookie: string, fields: Record<string, string>, path = "/"): Promise<unknown> => {
    const body = new URLSearchParams({ _key: "a-key-of-22-characters", ...fields }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded", "content-length": String(body.length) };
    const headers = { ...type, cookie };
    return JSON.parse((await app.ask(`${path}_action/order/_outcome`, { method: "POST", body, headers })).text);
  };
  const gone = { state: "cannot-say", gone: { digest: "7K2M-9QXD-4TBA" } };
  expect(await ask("sid=ada", { _visitor: visitor })).toEqual(gone);
  expect(await ask("sid=ada", { _visitor: visitor }, "/no/such/page/")).toEqual(gone);
  expect(events).toMatchObject([{ code: "action-gone" }, { code: "action-gone" }]);
  // Neither the next visit, nor a client that has never seen the page, nor another visitor makes an event.
  const silent = { state: "cannot-say", gone: {} };
  expect(await ask("sid=ada", { _visitor: visitor, reported: "1" })).toEqual(silent);
  expect(await ask("", {})).toEqual(silent);
  expect(await ask("sid=bob", { _visitor: visitor })).toEqual({ state: "other-visitor" });
  expect(events.length).toBe(2);
});
