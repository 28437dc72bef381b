import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { action, load } from "./author/define.ts";
import { type Answered, type TestApplication, testApplication } from "./test-application.ts";

const page = { default: () => <h1>Shown</h1> };
const slowApi = { timeout: 5, GET: async () => new Response(await slowly()) };
const api = { POST: () => new Response("kept") };
const slowly = async (): Promise<string> => {
  await wait(150);
  return "done";
};

const post = (app: TestApplication, target: string, body: string, type: string): Promise<Answered> =>
  app.ask(target, {
    method: "POST",
    body,
    headers: { "content-type": type, "content-length": String(Buffer.byteLength(body)) },
  });

const fields = (bytes: number): string => `a=${"x".repeat(bytes - 2)}`;
const typed = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data; boundary=x";
const files = (count: number, bytes: number): string => {
  const part = `--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n${"x".repeat(bytes)}\r\n`;
  return `${part.repeat(count)}--x--\r\n`;
};

test("a page has the time that it asks for, its neighbour that of all", async () => {
  const app = await testApplication(
    {
      "report.tsx": page,
      "report.server.ts": { timeout: 5, guard: slowly, data: load(slowly) },
      "other.tsx": page,
      "other.server.ts": { data: load(slowly) },
      "quick.tsx": page,
      "quick.server.ts": { timeout: 0.1, data: load(slowly) },
    },
    { limits: { loadMs: 120 } },
  );
  await using _ = app;
  expect((await app.ask("/report")).status).toBe(200);
  expect((await app.ask("/other")).status).toBe(504);
  expect((await app.ask("/quick")).status).toBe(504);
  expect(app.recorded.map(({ error }) => String(error))).toEqual([
    expect.stringContaining("took longer than 120 ms"),
    expect.stringContaining("took longer than 100 ms"),
  ]);
});

test("an API route that asks for it has a time limit, in which the signal is aborted and a 504 is sent", async () => {
  let signal: AbortSignal | undefined;
  await using app = await testApplication({
    "never.server.ts": {
      timeout: 0.1,
      GET: (_request: Request, context: { signal: AbortSignal }) => {
        signal = context.signal;
        return new Promise<Response>(() => undefined);
      },
    },
    "slow.server.ts": slowApi,
  });
  expect((await app.ask("/never")).status).toBe(504);
  expect(signal?.aborted).toBe(true);
  expect(String(app.recorded[0]?.error)).toContain("GET of /never had no response after 100 ms.");
  expect((await app.ask("/slow")).text).toBe("done");
});

test("an API route may take any number of bytes, and an action as many as the fields of the framework need", async () => {
  await using app = await testApplication({
    "one.server.ts": { ...api, bodyBytes: 1 },
    "none.server.ts": { ...api, bodyBytes: 0 },
    "page.tsx": page,
    "page.server.ts": { actions: { send: action({ bodyBytes: 1_000 }, () => "kept") } },
  });
  expect((await app.ask("/one", { method: "POST", body: "x" })).status).toBe(200);
  expect((await app.ask("/one", { method: "POST", body: "xy" })).status).toBe(413);
  expect((await app.ask("/none", { method: "POST", body: "x" })).status).toBe(500);
  expect(String(app.recorded[0]?.error)).toContain("bodyBytes must be at least 1 byte: ");
  expect((await app.ask("/page")).status).toBe(500);
  expect(String(app.recorded[1]?.error)).toContain("bodyBytes must be at least 1024 bytes: fields of the framework");
});

test("an action has the time and the sizes that it asks for, its neighbour those of all", async () => {
  const own = { uploads: true, bodyBytes: 4_000, uploadBytes: 20_000, files: 3 };
  await using app = await testApplication(
    {
      "index.tsx": page,
      "index.server.ts": {
        actions: {
          plain: action({ uploads: true }, () => "kept"),
          large: action(own, () => "kept"),
          slow: action({ timeout: 5 }, slowly),
          slower: action({}, slowly),
        },
      },
    },
    { limits: { actionMs: 100, bodyBytes: 2_000, uploadBytes: 10_000, uploadFiles: 1 } },
  );
  const status = async (name: string, body: string, type: string): Promise<number> =>
    (await post(app, `/_action/${name}`, body, type)).status;
  for (const [body, type] of [
    [fields(3_000), typed],
    [files(3, 5_000), multipart],
  ] as const) {
    expect(await status("large", body, type)).toBe(303);
    expect(await status("plain", body, type)).toBe(413);
  }
  expect(await status("plain", files(1, 9_000), multipart)).toBe(303);
  for (const body of [files(4, 10), files(2, 11_000)]) expect(await status("large", body, multipart)).toBe(413);
  expect(await status("large", fields(4_001), typed)).toBe(413);
  expect(await status("slow", fields(10), typed)).toBe(303);
  expect(await status("slower", fields(10), typed)).toBe(504);
});

test("what is announced as too large is refused with 413 before any of it is sent", async () => {
  await using app = await testApplication({
    "index.tsx": page,
    "index.server.ts": { actions: { send: action({ uploads: true }, () => "kept") } },
    "api.server.ts": api,
  });
  for (const [target, type] of [
    ["/_action/send", multipart],
    ["/_action/send/_data", typed],
    ["/api", "text/plain"],
  ] as const) {
    const socket = connect({ port: app.port, host: "127.0.0.1" });
    const head = `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nContent-Type: ${type}\r\n`;
    socket.write(`${head}Content-Length: 400000000\r\n\r\n`);
    const before = performance.now();
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect([target, answer.toString("latin1").split("\r\n", 1)[0]]).toEqual([target, "HTTP/1.1 413 Payload Too Large"]);
    // A server that waits for the body does so for five seconds.
    expect(performance.now() - before).toBeLessThan(4_000);
    socket.destroy();
  }
});

test.each([
  ["index.server.ts", { timeout: 60 }, "timeout must be at most 28 seconds: a browser waits 30 seconds for a page"],
  ["index.server.ts", { timeout: "5" }, "timeout must be a number of seconds"],
  [
    "index.server.ts",
    { actions: { send: action({ uploads: true, uploadBytes: 500_000_000 }, slowly) } },
    "(actions.send) sets a limit that cannot hold. uploadBytes must be at most 268435456 bytes, a quarter of limits.uploadsOnDiskBytes, which one client may use; set limits.uploadsOnDiskBytes to 2000000000 for it",
  ],
  [
    "index.server.ts",
    { actions: { send: action({ files: 2, timeout: 0 }, slowly) } },
    "timeout must be at least 0.1 seconds: a busy server would fail at once",
  ],
  [
    "index.server.ts",
    { actions: { send: action({ files: 2 }, slowly) } },
    "uploadBytes and files are for uploads: true",
  ],
])("a wrong limit in %s is an error that says why", async (file, exports, why) => {
  await using app = await testApplication({ "index.tsx": page, [file]: exports });
  expect((await app.ask("/")).status).toBe(500);
  expect(String(app.recorded[0]?.error)).toContain(why);
});
