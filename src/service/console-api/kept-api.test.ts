import { expect, test } from "vitest";
import type { StoreReader } from "../stores/store.ts";
import { type KeptSource, openKeptApi } from "./kept-api.ts";

type Head = Awaited<ReturnType<KeptSource["heads"]>>[number];
type Run = Awaited<ReturnType<KeptSource["run"]>>;

const digests = { a: "7K2M-9QXD-4TB0", b: "7K2M-9QXD-4TB1", c: "7K2M-9QXD-4TB2" };

function aHead(name: keyof typeof digests, fields: Partial<Head> = {}): Head {
  const at = new Date(1_000 + name.charCodeAt(0));
  return {
    id: name.repeat(32),
    digest: digests[name],
    lastDigest: undefined,
    state: "failed",
    keptAt: at,
    changedAt: at,
    by: undefined,
    runs: 0,
    bytes: 10,
    ...fields,
  };
}

function openWith(heads: readonly Head[], source: Partial<KeptSource> = {}, answerMs?: number) {
  const records: string[] = [];
  const calls: string[] = [];
  const unread = { of: undefined, unreadable: undefined, fields: [], files: [] };
  const all: KeptSource = {
    heads: async () => [...heads],
    show: async (name) => {
      const head = heads.find(({ id, digest }) => id === name || digest === name);
      return head && { ...head, ...unread };
    },
    check: async () => ({ kind: "ready", isUnsure: false, route: "/", action: "order" }),
    run: async (name) => {
      calls.push(name.charAt(0));
      return { kind: "done" };
    },
    forget: async () => true,
    ...source,
  };
  const api = openKeptApi({
    project: 1,
    source: () => all,
    // A submission whose event is not stored.
    store: async () => ({ event: async () => undefined }) as unknown as StoreReader,
    administration: {
      record: async ({ by, what }) => void records.push(`${by} ${what}`),
      settings: () => ({ scrub: { alsoSecret: ["nickname"], keepAddresses: false } }) as never,
    },
    ...(answerMs !== undefined && { answerMs }),
  });
  return { api, records, calls };
}

const order = { by: "ada", evenIfUnsure: false };

test("secrets are removed by the rules of the service too", async () => {
  const fields = [
    ["item", "lamp"],
    ["nickname", "jo"],
    ["note", "password=hunter2"],
  ] as const;
  const files = [{ field: "scan", name: "4111 1111 1111 1111.pdf", type: "", size: 1 }];
  const of = { route: "/", action: "order", build: "1" };
  const show: KeptSource["show"] = async () => ({ ...aHead("a"), of, unreadable: undefined, fields, files });
  const shown = await openWith([], { show }).api.show(digests.a);
  expect(shown?.fields).toEqual([
    ["item", "lamp"],
    ["nickname", "[scrubbed]"],
    ["note", "password=[scrubbed]"],
  ]);
  expect(shown?.files[0]?.name).toBe("[scrubbed].pdf");
});

test("the list has those that wait, the newest first; only what has certainly not been done may run unseen", async () => {
  const { api } = openWith([aHead("a"), aHead("b", { state: "unsure" }), aHead("c", { state: "done" })]);
  const { entries, total, runnable } = await api.list({ limit: 10 });
  expect([entries.map(({ digest }) => digest), total]).toEqual([[digests.b, digests.a], 2]);
  expect(runnable.map(({ id }) => id.charAt(0))).toEqual(["a"]);
  expect((await api.list({ all: true, limit: 1 })).total).toBe(3);
  expect((await api.list({ all: true, limit: 1 })).entries.length).toBe(1);
  expect(await api.waiting()).toBe(2);
});

test("runs and what is forgotten are in the audit log with their end; what did not run is not", async () => {
  const ends: Record<string, Run> = {
    a: { kind: "done" },
    b: { kind: "failed", digest: "7K2M-9QXD-4TB9", message: "away" },
    c: { kind: "not-waiting", state: "done" },
  };
  const { api, records } = openWith([aHead("a"), aHead("b"), aHead("c")], {
    run: async (name) => ends[name.charAt(0)] ?? { kind: "unknown" },
  });
  const results = await api.run([digests.a, digests.b, digests.c, "7K2M-9QXD-4TB8"], order);
  expect(results.map(({ kind }) => kind)).toEqual(["done", "failed", "not-waiting", "unknown"]);
  expect(await api.forget(digests.b, "ada")).toBe(true);
  expect(records).toEqual([
    `ada ran the kept submission ${digests.a} again: done`,
    `ada ran the kept submission ${digests.b} again: failed as 7K2M-9QXD-4TB9`,
    `ada forgot the kept submission ${digests.b}`,
  ]);
});

test("a run that takes too long goes on and is recorded later, and no other is begun", async () => {
  const slow = Promise.withResolvers<Run>();
  const begun: string[] = [];
  const { api, records } = openWith(
    [aHead("a"), aHead("b")],
    {
      run: (name) => {
        begun.push(name.charAt(0));
        return slow.promise;
      },
    },
    1,
  );
  const results = await api.run([digests.a, digests.b], order);
  expect(results.map(({ kind }) => kind)).toEqual(["running", "not-begun"]);
  expect([begun, records]).toEqual([["a"], []]);
  slow.resolve({ kind: "done" });
  await expect.poll(() => records).toEqual([`ada ran the kept submission ${digests.a} again: done`]);
});
