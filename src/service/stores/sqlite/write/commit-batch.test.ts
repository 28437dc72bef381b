import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FiledItem } from "../../filed.ts";
import { anEvent, batchesOf, hex, noon } from "../../filed-examples.ts";
import { everyIssue } from "../../filter-language.ts";
import type { Store } from "../../store.ts";
import { jsonOfSpans } from "../../values/spans-json.ts";
import { Database } from "../database.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";

const weekMs = 7 * 86_400_000;

/** One item of every kind that writes to two files, over two weeks. */
const items: readonly FiledItem[] = [
  anEvent({ text: "a", visitor: 1 }),
  anEvent({ text: "b", visitor: 2, at: noon + weekMs }),
  {
    kind: "session",
    rowId: 0,
    project: 1,
    receivedAt: noon,
    sessionId: "s",
    startedAt: noon,
    ended: "crashed",
    release: "1",
    environment: undefined,
  },
  {
    kind: "spans",
    rowId: 0,
    project: 1,
    receivedAt: noon,
    traceId: hex("t"),
    key: 1,
    at: noon,
    body: jsonOfSpans([]),
    segments: [
      {
        spanId: "aaaaaaaaaaaaaaaa",
        route: "/",
        op: "pageload",
        at: noon,
        durationMs: 5,
        status: "ok",
        release: "1",
        environment: undefined,
        visitor: 1,
        session: undefined,
      },
    ],
    measures: [{ route: "/", measure: "lcp", at: noon, value: 900, release: "1" }],
    counts: [{ name: "holdfast.full-load", route: "/", label: "timeout-data", at: noon, n: 1 }],
  },
  {
    kind: "logs",
    rowId: 0,
    project: 1,
    receivedAt: noon,
    lines: [{ at: noon, level: "info", body: "x", attributes: {} }],
  },
  {
    kind: "feedback",
    rowId: 0,
    project: 1,
    receivedAt: noon,
    at: noon,
    eventId: hex("e"),
    name: undefined,
    email: undefined,
    url: undefined,
    message: "m",
    ownId: undefined,
    facts: {},
  },
];
const [first, second] = batchesOf([anEvent({ text: "a", visitor: 3 }), ...items], 1 + items.length / 2);
if (first === undefined || second === undefined) throw new Error("There are two batches.");

describe("a batch whose nth write fails", () => {
  const folders: string[] = [];

  afterEach(() => {
    vi.restoreAllMocks();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  const open = (folder = mkdtempSync(join(tmpdir(), "holdfast-fault-"))): { folder: string; store: Store } => {
    if (!folders.includes(folder)) folders.push(folder);
    return { folder, store: openSqliteStore({ folder }) };
  };

  it.each(["tried again at once", "tried again after a restart"])(
    "is filed exactly once when it is %s, whatever n is",
    async (how) => {
      const whole = open();
      await whole.store.commit(first);
      await whole.store.commit(second);
      const expected = await picture(whole.store);
      whole.store.close();

      let failures = 0;
      for (let n = 1; ; n++) {
        let { folder, store } = open();
        await store.commit(first);
        const passed = await failingAt(n, () => store.commit(second));
        if (how === "tried again after a restart") {
          store.close();
          ({ store } = open(folder));
        }
        await store.commit(second);
        expect(await picture(store), `failed at write ${n}`).toEqual(expected);
        store.close();
        if (passed) break;
        failures++;
      }
      // Each item writes at least once, and each of the three files is begun and committed.
      expect(failures).toBeGreaterThan(items.length);
    },
    60_000,
  );
});

/** Returns whether the work succeeded, because there was no nth write. */
async function failingAt(n: number, work: () => Promise<unknown>): Promise<boolean> {
  let writes = 0;
  for (const method of ["run", "begin", "commit"] as const) {
    const original = Database.prototype[method];
    vi.spyOn(Database.prototype, method).mockImplementation(function (this: Database, ...given: unknown[]) {
      if (++writes === n) throw new Error(`write ${n} fails`);
      return Reflect.apply(original, this, given);
    });
  }
  try {
    await work();
    return true;
  } catch (error) {
    if (!String(error).includes(`write ${n} fails`)) throw error;
    return false;
  } finally {
    vi.restoreAllMocks();
  }
}

async function picture(store: Store): Promise<unknown> {
  const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "first-seen", limit: 9 });
  const period = { project: 1, from: noon - 1, to: noon + 2 * weekMs };
  const ofEach = <Value>(read: (id: number) => Promise<Value>): Promise<Value[]> =>
    Promise.all(issues.map(({ id }) => read(id)));
  return {
    issues,
    events: await ofEach((id) => store.eventsOf(1, id, { limit: 9 })),
    hours: await ofEach(async (id) => (await store.series({ ...period, issues: [id], step: "hour" })).get(id)),
    tags: await ofEach((id) => store.tagsOf(1, id)),
    sessions: await store.sessions(1, period.from, period.to),
    measures: await store.measures({ ...period, step: "hour" }),
    counts: await store.counts({ ...period, step: "day" }),
    logs: await store.logs({ project: 1, from: 0, to: noon * 2, filter: everyIssue, limit: 9, mostLines: 99 }),
    feedback: await store.feedback(1),
    releases: await store.releases(1),
    trail: await store.trail({ ...period, visitor: 1 }),
    applied: await store.appliedUpTo(),
    wrong: await store.check(),
  };
}
