import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openReader } from "../../open-reader.ts";
import { readFilter } from "../../stores/filter-language.ts";
import type { StoreReader } from "../../stores/store.ts";
import { importCommand } from "../import-command.ts";

const issues = 1_000;
const firstSeen = Date.now() - 20 * 86_400_000;
const statuses = ["unresolved", "resolved", "ignored"] as const;
const words = ["apple", "bread", "cider", "dates", "eggs", "flour", "grape", "honey", "iced", "jam"];

function wordsOf(n: number): string {
  return [...String(n).padStart(3, "0")].map((digit) => words[Number(digit)]).join(" ");
}

function time(at: number): string {
  return new Date(at).toISOString().replace("Z", "000Z");
}

function eventId(issue: number, n: number): string {
  return `${(0x100000 + issue).toString(16)}${n.toString(16)}`.padEnd(32, "e");
}

/** As the API of Sentry lists an issue. */
function issueOf(n: number): object {
  return {
    id: String(5_000 + n),
    shortId: `SHOP-${n.toString(36).toUpperCase()}`,
    title: `TypeError: no ${wordsOf(n)}`,
    culprit: "cart in total",
    permalink: `https://sentry.test/organizations/acme/issues/${5_000 + n}/`,
    level: "error",
    status: statuses[n % 3],
    statusDetails: n % 6 === 1 ? { inRelease: "shop@2.0" } : {},
    platform: "javascript",
    metadata: { type: "TypeError", value: `no ${wordsOf(n)}` },
    count: String(100 + n),
    userCount: 7,
    firstSeen: time(firstSeen + n),
    lastSeen: time(firstSeen + 3_600_000 + n),
    assignedTo: n % 5 === 0 ? { type: "user", id: "1", name: "Ada", email: "ada@shop.test" } : null,
    numComments: n % 10 === 0 ? 1 : 0,
  };
}

/** As the API shows a whole event. */
function eventOf(issue: number, n: number): object {
  const context = [
    [41, "function total(cart) {"],
    [42, "  return cart.price;"],
    [43, "}"],
  ];
  const frame = {
    filename: "src/cart.js",
    function: `total${wordsOf(issue).replaceAll(" ", "")}`,
    lineNo: 42,
    colNo: 3,
  };
  return {
    id: eventId(issue, n),
    eventID: eventId(issue, n),
    groupID: String(5_000 + issue),
    platform: "javascript",
    dateCreated: time(firstSeen + 3_600_000 + issue - n),
    dateReceived: time(firstSeen + 3_600_500 + issue - n),
    release: { version: "shop@1.9" },
    user: { id: `u${n}`, email: `u${n}@visitor.test`, ip_address: "192.0.2.7" },
    tags: [
      { key: "environment", value: "production" },
      { key: "level", value: "error" },
      { key: "transaction", value: "/cart" },
    ],
    contexts: { browser: { name: "Firefox", version: "140" } },
    context: { order: 7, password: "hunter2" },
    entries: [
      {
        type: "exception",
        data: {
          values: [
            {
              type: "TypeError",
              value: `no ${wordsOf(issue)}`,
              stacktrace: { frames: [{ ...frame, absPath: "https://shop.test/cart.js", inApp: true, context }] },
            },
          ],
        },
      },
      { type: "breadcrumbs", data: { values: [{ category: "ui.click", message: "button", level: "info" }] } },
      { type: "request", data: { method: "GET", url: "https://shop.test/cart", headers: [["Accept", "*/*"]] } },
    ],
  };
}

let server: Server;
let origin: string;
let folder: string;
let requests = 0;
/** After so many, the token is refused, as if it had expired. */
let mostRequests = Number.POSITIVE_INFINITY;
const asked: string[] = [];

function answer(request: IncomingMessage, response: ServerResponse): void {
  requests += 1;
  const url = new URL(request.url ?? "", origin);
  if (request.headers.authorization !== "Bearer sntrys_secret") return void response.writeHead(401).end("{}");
  if (requests > mostRequests) return void response.writeHead(403).end("{}");
  if (requests % 97 === 0) return void response.writeHead(429, { "Retry-After": "0" }).end("{}");
  if (requests % 211 === 0) return void request.socket.destroy();
  asked.push(url.pathname);
  const send = (list: readonly object[], next?: string): void => {
    const link = `<${url.href}>; rel="previous"; results="false"; cursor="0:0:1", <${url.href}>; rel="next"; results="${next !== undefined}"; cursor="${next ?? "0:0:0"}"`;
    response.writeHead(200, { "Content-Type": "application/json", Link: link }).end(JSON.stringify(list));
  };
  if (url.pathname === "/api/0/projects/acme/shop/issues/") {
    const from = Number(url.searchParams.get("cursor")?.split(":")[1] ?? 0);
    const page = Array.from({ length: 100 }, (_, n) => issueOf(from + n));
    return send(page, from + 100 < issues ? `0:${from + 100}:0` : undefined);
  }
  const [, id = "", what] =
    /^\/api\/0\/organizations\/acme\/issues\/(\d+)\/(events|comments)\/$/.exec(url.pathname) ?? [];
  if (what === "comments")
    return send([
      { user: { email: "bo@shop.test" }, data: { text: "Seen in the shop" }, dateCreated: time(firstSeen) },
    ]);
  if (what !== "events" || url.searchParams.get("full") !== "true") return void response.writeHead(404).end("{}");
  send([eventOf(Number(id) - 5_000, 1), eventOf(Number(id) - 5_000, 2)]);
}

beforeAll(async () => {
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = mkdtempSync(join(tmpdir(), "holdfast-sentry-"));
  vi.stubEnv("HOLDFAST_STORE", "");
  vi.stubEnv("SENTRY_TOKEN", "sntrys_secret");
});

afterAll(() => {
  vi.unstubAllEnvs();
  server.close().closeAllConnections();
  rmSync(folder, { recursive: true });
});

async function importIssues(...more: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const output = { print: (text: string) => printed.push(text), warn: (text: string) => printed.push(text) };
  const source = ["--from", origin, "--org", "acme", "--source-project", "shop"];
  const state = ["--progress", join(folder, "sentry.progress")];
  await importCommand.run(["sentry", ...source, ...state, "--data", join(folder, "data"), ...more], output);
  return printed.join("\n");
}

it("1,000 issues of Sentry are imported, with refusals, cut connections and an interruption", {
  timeout: 240_000,
}, async () => {
  mostRequests = 600;
  await expect(importIssues()).rejects.toThrow("answered 403");
  mostRequests = Number.POSITIVE_INFINITY;
  const before = asked.length;
  const text = await importIssues();
  expect(text).toContain("1000 issues so far.");
  expect(text).toContain("The server limits its clients.");
  expect(asked.length - before, "what was done is not asked for again").toBeLessThan(700);

  const store = await openReader(join(folder, "data"), "");
  try {
    await expectIssues(store);
  } finally {
    store.close();
  }
});

async function expectIssues(store: StoreReader): Promise<void> {
  expect(await store.countIssues(1, readFilter(""), 10_000)).toBe(issues);
  for (const [filter, count] of [
    ["is:open", 334],
    ["is:resolved", 333],
    ["is:muted", 333],
    ["assigned:ada@shop.test", 200],
  ] as const)
    expect(await store.countIssues(1, readFilter(filter), 10_000), filter).toBe(count);
  const event = await store.event(1, eventId(730, 1));
  expect(event).toMatchObject({ release: "shop@1.9", environment: "production", route: "/cart" });
  const issue = await store.issue(1, { id: event?.issue ?? 0 });
  expect(issue).toMatchObject({
    type: "TypeError",
    title: `no ${wordsOf(730)}`,
    events: 830,
    visitors: 7,
    firstSeen: firstSeen + 730,
    lastSeen: firstSeen + 3_600_730,
    ticket: "https://sentry.test/organizations/acme/issues/5730/",
    assignee: "ada@shop.test",
    state: { kind: "resolved" },
  });
  const history = await store.history(1, issue?.id ?? 0);
  expect(history.map(({ by, what }) => [by, what.kind])).toEqual([
    ["the command line", "imported"],
    ["bo@shop.test", "comment"],
  ]);
  expect(event?.body).toMatchObject({
    event: {
      exceptions: [
        { frames: [{ line: 42, contextLine: "  return cart.price;", preContext: ["function total(cart) {"] }] },
      ],
      extra: { order: 7, password: "[scrubbed]" },
      request: { url: "https://shop.test/cart" },
    },
  });
  expect(await store.check("quick")).toEqual([]);
}

it("a server that refuses, and a token that is missing, are named", async () => {
  vi.stubEnv("SENTRY_TOKEN", "another");
  await expect(importIssues()).rejects.toThrow("answered 401");
  vi.stubEnv("SENTRY_TOKEN", "");
  await expect(importIssues()).rejects.toThrow("SENTRY_TOKEN has no token");
});
