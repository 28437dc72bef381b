import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { Refusals } from "#bounds";
import { drainBody } from "#http";
import { type ReportingLimits, reportingLimits } from "../limits.ts";
import type { ReportSettings } from "../settings.ts";
import { openServerReporting } from "./open-server-reporting.ts";
import { readOutbox } from "./outbox/read-outbox.ts";
import { createStallWatcher } from "./watch/stall-watcher.ts";

const dsn = `https://${"c".repeat(32)}@errors.example/7`;

describe("the tunnel", () => {
  test("accepts an envelope of an own page, compressed or not, and has stored it when it responds", async () => {
    const { post, kept } = await tunnelWith({});
    expect((await post(envelope({}, event))).status).toBe(200);
    expect((await post(gzipSync(envelope({}, event)), { "content-encoding": "gzip" })).status).toBe(200);
    expect(kept()).toHaveLength(2);
  });

  test("counts the navigations of a page, within limits and without secrets, and forwards nothing of them", async () => {
    const { post, kept, ledger } = await tunnelWith({});
    const dead = (id: number) => ({ id: `${id}`, at: Date.now() / 1000, route: "/cart", name: "/by/ada@example.org" });
    const tally = {
      book: "navigations",
      hour: 0,
      ends: { committed: 5_000, left: 1, invented: 7 },
      open: Array.from({ length: 30 }, (_, id) => dead(id)),
    };
    const balance = { source: "page", tallies: [tally, { ...tally, book: "submissions" }] };
    const report = JSON.stringify({ discarded_events: [], balance });
    expect((await post(`{}\n{"type":"client_report"}\n${report}\n`)).status).toBe(200);
    expect(kept()).toEqual([]);
    const text = ledger();
    expect(text.match(/"state":"lost"/g)).toHaveLength(20);
    expect(text).toContain('"ends":{"committed":1000,"left":1}');
    expect(text).not.toMatch(/ada@|submissions/);
  });

  test("shows nothing to whoever only looks", async () => {
    const { url } = await tunnelWith({});
    for (const method of ["GET", "HEAD", "PUT", "OPTIONS"])
      expect((await fetch(`${url}/_holdfast/post`, { method })).status).toBe(404);
    expect((await fetch(`${url}/_holdfast/post/else`, { method: "POST", body: "x" })).status).toBe(404);
  });

  test.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["a sister site", { "sec-fetch-site": "same-site" }],
    ["another origin, told by an old browser", { origin: "https://evil.example" }],
    ["a page without origin", { origin: "null" }],
  ])("refuses %s", async (_, headers) => {
    const { post, kept } = await tunnelWith({});
    expect((await post(envelope({}, event), headers)).status).toBe(403);
    expect(kept()).toEqual([]);
  });

  test.each([
    `https://${"c".repeat(32)}@errors.example/8`,
    `https://${"d".repeat(32)}@errors.example/7`,
    `https://${"c".repeat(32)}@evil.example/7`,
    `https://${"c".repeat(32)}@errors.example/7/`,
    `https://${"c".repeat(32)}:secret@errors.example/7`,
  ])("forwards to no other project: %s", async (other) => {
    const { post, kept } = await tunnelWith({ dsn });
    expect((await post(envelope({ dsn: other }, event))).status).toBe(403);
    expect(kept()).toEqual([]);
    expect((await post(envelope({ dsn }, event))).status).toBe(200);
    expect(kept()[0]).not.toContain("errors.example");
  });

  test("counts bytes after decompression and stops at the limit", async () => {
    const { post } = await tunnelWith({});
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(bomb.length).toBeLessThan(60_000);
    expect((await post(bomb, { "content-encoding": "gzip" })).status).toBe(413);
    expect((await post(Buffer.alloc(2_000_000))).status).toBe(413);
    expect((await post(Buffer.alloc(2_000_000), { "content-encoding": "gzip" })).status).toBe(413);
  });

  test("holds a limited number of bytes for all pending reports, and for those of one address", async () => {
    const { url, refusals } = await tunnelWith({}, { tunnelHeldBytes: 3_000_000, tunnelHeldPerAddress: 1_000_000 });
    const begin = async (): Promise<Socket> => {
      const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
      socket.write("POST /_holdfast/post HTTP/1.1\r\nHost: x\r\nContent-Length: 500001\r\n\r\n");
      await new Promise((resolve) => socket.write(Buffer.alloc(500_000), resolve));
      return socket;
    };
    const slow = [await begin(), await begin()];
    const status = (): Promise<number> =>
      fetch(`${url}/_holdfast/post`, { method: "POST", body: "x" }).then((answer) => answer.status);
    await expect.poll(status).toBe(503);
    expect(refusals.totals.get("body-memory")).toBeGreaterThan(0);
    for (const socket of slow) socket.destroy();
    await expect.poll(status).toBe(400);
  });

  test("decompresses one report after the other, and refuses those behind too many", async () => {
    const { post, refusals } = await tunnelWith({}, { tunnelDecoders: 1, tunnelDecodersWaiting: 1 });
    // Large enough that the others arrive before the first is decompressed.
    const packed = gzipSync(
      envelope({}, { ...event, extra: { noise: randomBytes(700_000).toString("hex").slice(0, 900_000) } }),
    );
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(packed, { "content-encoding": "gzip" })));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(answers.find(({ status }) => status === 503)?.headers.get("retry-after")).toBe("5");
    expect(refusals.totals.get("decoders")).toBe(statuses.filter((status) => status === 503).length);
  });

  test("sends the reason of a refusal even to clients that are still sending", async () => {
    const { post } = await tunnelWith({});
    expect((await post(Buffer.alloc(5_000_000), { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post(Buffer.alloc(5_000_000), { "content-encoding": "br" })).status).toBe(415);
  });

  test("refuses bodies that are no envelope, no gzip, or encoded in other ways", async () => {
    const { post } = await tunnelWith({});
    expect((await post("nonsense")).status).toBe(400);
    expect((await post("nonsense", { "content-encoding": "gzip" })).status).toBe(400);
    expect((await post(envelope({}, event), { "content-encoding": "br" })).status).toBe(415);
  });

  test("slows down an address that sends too much, and names the time to wait", async () => {
    const { post } = await tunnelWith({}, { tunnelBurst: 3, tunnelPerSecond: 0.1 });
    const answers = [];
    for (let at = 0; at < 4; at++) answers.push(await post(envelope({}, event)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(5);
    expect(answers[3]?.headers.get("x-sentry-rate-limits")).toMatch(/^\d+::key$/);
  });

  test("forwards neither cookies, nor secrets, nor the visitor's address", async () => {
    const { post, kept } = await tunnelWith({});
    await post(
      envelope(
        {},
        {
          ...event,
          request: { headers: { Cookie: "sid=hunter2" } },
          user: { ip_address: "192.0.2.7" },
          extra: { apiKey: "hunter2" },
        },
      ),
      { cookie: "session=hunter2", authorization: "Bearer hunter2hunter2" },
    );
    expect(kept().join()).not.toMatch(/hunter2|192\.0\.2\.7|127\.0\.0\.1/);
  });

  test("adds the visitor's address if that is enabled", async () => {
    const { post, kept } = await tunnelWith({ sendDefaults: true });
    await post(envelope({}, event), { "x-forwarded-for": "6.6.6.6" });
    expect(kept().join()).toContain('"ip_address":"127.0.0.1"');
  });

  test("adds the build that is served now to the one of the page", async () => {
    const { post, kept } = await tunnelWith({});
    await post(envelope({}, { ...event, contexts: { holdfast: { page_build: "b0" }, trace: {} } }));
    expect(kept().join()).toContain('"holdfast":{"page_build":"b0","server_build":"b1"}');
  });

  test("keeps files with their event, texts without secrets and others as they are", async () => {
    const { post, kept } = await tunnelWith({});
    const text = "password=hunter2 and the rest";
    const answer = await post(
      `${envelope({}, event)}{"type":"attachment","length":${text.length},"filename":"a.log"}\n${text}\n{"type":"attachment","length":3}\n\u0000ab\n`,
    );
    expect(answer.status).toBe(200);
    const [whole = ""] = kept();
    expect(whole).toContain('"filename":"a.log"');
    expect(whole).toContain("and the rest");
    expect(whole).not.toContain("hunter2");
    expect(whole).toContain("\u0000ab");
  });

  test("leaves out items that pages do not send, and counts them by category", async () => {
    const { post, kept, close } = await tunnelWith({});
    const answer = await post(
      `{}\n{"type":"attachment","length":3}\nabc\n{"type":"replay_event"}\n{}\n{"type":"telepathy"}\n{}\n`,
    );
    expect(answer.status).toBe(200);
    expect(kept()).toEqual([]);
    await close();
    const [losses] = kept();
    expect(JSON.parse(losses?.split("\n")[2] ?? "")).toMatchObject({
      discarded_events: [
        { reason: "filter:unknown-item", category: "default", quantity: 1 },
        { reason: "filter:not-kept", category: "replay", quantity: 1 },
        { reason: "filter:not-kept", category: "attachment", quantity: 1 },
      ],
    });
  });

  test("refuses an unreadable event with the reason; the rest of the envelope is kept", async () => {
    // Items other than errors are written to disk a moment later.
    const { post, kept } = await tunnelWith({}, { spillMs: 1 });
    const broken = `{"event_id":"${event.event_id}"}\n{"type":"event"}\n{"message":"cut o`;
    const refused = await post(broken);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining("no JSON") });
    expect(kept()).toEqual([]);
    const mixed = await post(`${broken}\n{"type":"session"}\n{"sid":"a","started":1}\n`);
    expect({ status: mixed.status, body: await mixed.json() }).toEqual({ status: 200, body: {} });
    await expect.poll(kept).toHaveLength(1);
  });

  test("accepts an event with very many keys, which the service trims", async () => {
    const { post, kept } = await tunnelWith({});
    const extra = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at]));
    const answer = await post(envelope({ event_id: event.event_id }, { ...event, extra }));
    expect(await answer.json()).toEqual({ id: event.event_id });
    expect(kept()).toHaveLength(1);
  });

  test("creates events from the errors of a page whose reporter never loaded, and trusts none of its claims", async () => {
    const { post, kept } = await tunnelWith({});
    const posted = [
      {
        kind: "error",
        name: "TypeError",
        message: "lonely token=hunter2",
        stack: "TypeError: lonely\n    at f (https://shop.example/_assets/a.js:1:2)",
        at: Date.now(),
        url: "/a",
      },
      { kind: "error", message: "Script error.", at: 7, url: "/a" },
      7,
      null,
    ];
    expect((await post(JSON.stringify(posted), {}, "/_holdfast/post/early")).status).toBe(200);
    expect((await post("{", {}, "/_holdfast/post/early")).status).toBe(400);
    expect(kept()).toHaveLength(1);
    expect(kept()[0]).toContain('"lineno":1,"colno":2');
    expect(kept()[0]).not.toContain("hunter2");
  });
});

const event = {
  event_id: "e".repeat(32),
  platform: "javascript",
  level: "error",
  exception: { values: [{ type: "Error", value: "x" }] },
};

function envelope(header: object, value: object): string {
  return `${JSON.stringify(header)}\n{"type":"event"}\n${JSON.stringify(value)}\n`;
}

async function tunnelWith(settings: ReportSettings, limits: Partial<ReportingLimits> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-tunnel-"));
  const refusals = new Refusals();
  const reporting = openServerReporting({
    refusals,
    stallWatcher: createStallWatcher(reportingLimits),
    settings,
    folder,
    root: folder,
    build: "b1",
    deliver: undefined,
    limits: { ...reportingLimits, ...limits, exitMs: 1 },
    now: Date.now,
    warn: () => undefined,
  });
  const server = createServer((incoming, response) => {
    void reporting.tunnel.handle(incoming, response, {
      address: "127.0.0.1",
      origin: "http://shop.example",
      readRest: () => drainBody(incoming),
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await reporting.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const post = (body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}, path = "/_holdfast/post") =>
    fetch(url + path, { method: "POST", body, headers });
  const close = (): Promise<void> => reporting.close();
  const ledger = (): string =>
    readdirSync(join(folder, "ledger"))
      .map((name) => readFileSync(join(folder, "ledger", name), "utf8"))
      .join("");
  return {
    url,
    post,
    close,
    refusals,
    ledger,
    kept: () => readOutbox(folder).map((bytes) => new TextDecoder().decode(bytes)),
  };
}
