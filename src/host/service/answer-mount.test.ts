import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Refusals } from "#bounds";
import { digestOf, jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openConsoleApi, openService } from "#service";
import { type AnswerMountDeps, createAnswerMount } from "./answer-mount.ts";

type Api = ReturnType<typeof openConsoleApi>;
type Change = Parameters<Api["change"]>[2];

const running = "shop@2.0.0";
const title = "The vault of Ms Ypsilanti is open";

/** Every state that an issue can be in, and what a visitor reads. */
const states: readonly (readonly [what: string, changes: readonly Change[], answer: string])[] = [
  ["open", [], "known"],
  ["commented", [{ kind: "comment", text: "secret words" }], "known"],
  ["muted for ever", [{ kind: "mute", until: { kind: "for-ever" } }], "known"],
  ["muted for a time", [{ kind: "mute", until: { kind: "time", at: 9e12 } }], "known"],
  ["muted until more events", [{ kind: "mute", until: { kind: "events", more: 10 } }], "known"],
  ["muted until more visitors", [{ kind: "mute", until: { kind: "visitors", more: 10 } }], "known"],
  [
    "assigned and muted",
    [
      { kind: "assign", to: "kim" },
      { kind: "mute", until: { kind: "for-ever" } },
    ],
    "known",
  ],
  ["reopened", [{ kind: "resolve", in: "now" }, { kind: "reopen" }], "known"],
  ["assigned", [{ kind: "assign", to: "kim" }], "in-repair"],
  ["resolved in the release after the running one", [{ kind: "resolve", in: "next-release" }], "in-repair"],
  ["resolved in a later version", [{ kind: "resolve", in: "release", release: "shop@2.0.1" }], "in-repair"],
  ["resolved in a commit yet to come", [{ kind: "resolve", in: "release", release: "0ae598e" }], "in-repair"],
  ["resolved", [{ kind: "resolve", in: "now" }], "repaired"],
  ["resolved in the running release", [{ kind: "resolve", in: "release", release: running }], "repaired"],
  ["resolved in an earlier version", [{ kind: "resolve", in: "release", release: "shop@1.9.0" }], "repaired"],
];

test("The page is a function of the public state alone: whatever is known of an issue, no byte of it shows", {
  timeout: 60_000,
}, async () => {
  const { api, report } = await filing();
  const page = await serving({ stateOf: (digest) => api.publicState(1, { digest, release: running }) });
  const pages = new Map<string, Set<string>>();
  const see = async (digest: string): Promise<string> => {
    const { state } = (await (await page(`/${digest}`, { accept: "application/json" })).json()) as { state: string };
    const seen = pages.get(state) ?? new Set();
    pages.set(state, seen.add(await (await page(`/${digest}`)).text()));
    return state;
  };
  const seen: unknown[] = [];
  for (const [index, [what, changes]] of states.entries()) {
    const first = newEventId();
    await report(`${title} ${index}`, [first, ...Array.from({ length: index % 3 }, () => newEventId())]);
    const digest = digestOf(first);
    const number = (await api.event(1, digest))?.issue.number ?? 0;
    for (const change of changes) expect(await api.change(1, [number], change, "kim@shop.test")).toBe(1);
    seen.push([what, changes, await see(digest)]);
  }
  expect(seen).toEqual(states);

  // An issue that happened again after it was resolved, and one that became part of another.
  const [before, after, merged] = [newEventId(), newEventId(), newEventId()];
  await report(title, [before]);
  const numberOf = async (id: string): Promise<number> => (await api.event(1, digestOf(id)))?.issue.number ?? 0;
  await api.change(1, [await numberOf(before)], { kind: "resolve", in: "now" }, "kim");
  expect(await see(digestOf(before))).toBe("repaired");
  await report(title, [after]);
  expect([await see(digestOf(before)), await see(digestOf(after))]).toEqual(["known", "known"]);
  await report(`${title} of another kind`, [merged]);
  await api.change(1, [await numberOf(merged)], { kind: "merge", intoNumber: await numberOf(before) }, "kim");
  await api.change(1, [await numberOf(before)], { kind: "assign", to: "kim" }, "kim");
  expect(await see(digestOf(merged))).toBe("in-repair");

  // What is not stored, not well-formed, or only a part of the truth.
  const eventId = before;
  for (const wrong of [digestOf(newEventId()), "", "x", "%ff", "0".repeat(500), "../1/issues", eventId, "<b>"])
    expect([wrong, await see(wrong)]).toEqual([wrong, "unknown"]);
  // As people type it.
  expect(await see(digestOf(before).toLowerCase().replaceAll("-", "%20"))).toBe("in-repair");

  expect([...pages.keys()].toSorted()).toEqual(["in-repair", "known", "repaired", "unknown"]);
  const all = [...pages.values()].flatMap((one) => [...one]);
  expect(all.length).toBe(4);
  for (const html of all) expect(html).not.toMatch(/Ypsilanti|kim|shop|secret|\d\.\d\.\d|\/pay|0ae598e/);
});

test("The page is in the visitor's language, stored nowhere, found by no search engine, and has a form for another code", async () => {
  const page = await serving({ stateOf: async () => "unknown" });
  const english = await page("?digest=7K2M-9QXD-4TBA");
  expect(Object.fromEntries(english.headers)).toMatchObject({
    "cache-control": "private, no-store",
    "x-robots-tag": "noindex",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
  });
  expect(await english.text()).toMatch(
    /lang="en".*We do not know this code \(yet\).*<form action="\/_holdfast\/answer">/,
  );
  const german = await (await page("", { "accept-language": "fr, de-AT;q=0.8, en;q=0.5" })).text();
  expect(german).toMatch(/lang="de".*Wir kennen diesen Code \(noch\) nicht/);
  expect((await page("", {}, "POST")).status).toBe(405);
});

test("What was typed into the form is looked up, and a service that fails is an answer too", async () => {
  const asked: string[] = [];
  const page = await serving({
    stateOf: async (digest) => {
      asked.push(digest);
      throw new Error("away");
    },
  });
  for (const rest of ["?digest=7k2m+9qxd+4tba", "/7K2M-9QXD-4TBA", "/7K2M-9QXD-4TBA?digest=x"])
    expect(await (await page(rest, { accept: "application/json" })).json()).toEqual({ state: "unknown" });
  expect(asked).toEqual(["7k2m 9qxd 4tba", "7K2M-9QXD-4TBA", "7K2M-9QXD-4TBA"]);
});

test("One client may look up a limited number of digests and learns when to retry; others are not affected", async () => {
  const refusals = new Refusals();
  const page = await serving({ stateOf: async () => "known", perMinute: 3, refusals });
  for (let count = 0; count < 3; count++) expect((await page("/x")).status).toBe(200);
  const refused = await page("/x");
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect(await refused.text()).toMatch(/Please try again in \d+ seconds\./);
  expect((await page("/x", { "x-client": "192.0.2.2" })).status).toBe(200);
  expect(refusals.totals.get("answers")).toBe(1);
});

type Ask = (rest: string, headers?: Record<string, string>, method?: string) => Promise<Response>;

async function serving(deps: Pick<AnswerMountDeps, "stateOf"> & Partial<AnswerMountDeps>): Promise<Ask> {
  const mount = createAnswerMount({
    pages: {},
    clientOf: (incoming) => String(incoming.headers["x-client"] ?? "192.0.2.1"),
    perMinute: 1_000,
    refusals: new Refusals(),
    ...deps,
  });
  const server = createServer((incoming, response) => void mount.handle(incoming, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return (rest, headers = {}, method = "GET") =>
    fetch(`http://127.0.0.1:${port}/_holdfast/answer${rest}`, { headers, method });
}

/** A service with its store, and what files events of one kind into it. */
async function filing(): Promise<{
  api: Api;
  report: (text: string, ids: readonly string[]) => Promise<void>;
}> {
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-answers-"));
  const service = await openService({ dataFolder });
  const api = openConsoleApi({ service, dataFolder, access: { kind: "open" } });
  onTestFinished(async () => {
    api.close();
    await service.close();
    rmSync(dataFolder, { recursive: true });
  });
  const report = async (text: string, ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      const values = [{ type: text.replaceAll(" ", ""), value: text }];
      const event = { event_id: id, level: "error", release: running, transaction: "/pay", exception: { values } };
      await service.accept(1, writeEnvelope({ eventId: id }, [jsonItem("event", event)]));
    }
    await service.drained();
  };
  return { api, report };
}
