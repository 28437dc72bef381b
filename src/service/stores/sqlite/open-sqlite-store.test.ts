import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pack } from "../bodies/packing.ts";
import type { FiledSpans } from "../filed.ts";
import { anEvent, batchesOf, hex, noon, storedIds } from "../filed-examples.ts";
import { everyIssue, readFilter } from "../filter-language.ts";
import { describeStore } from "../store.contract.ts";
import type { Store } from "../store.ts";
import { jsonOfSpans } from "../values/spans-json.ts";
import { openSqliteReader, openSqliteStore } from "./open-sqlite-store.ts";
import { type BlockRow, blocksIn } from "./week/block-rows.ts";

describeStore("sqlite", (folder) => openSqliteStore({ folder }), "into folders");

describe("the SQLite store on its disk", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("refuses to start beside weeks whose counters are missing", async () => {
    const store = openSqliteStore({ folder });
    for (const batch of batchesOf([anEvent({ text: "kept" })], 1)) await store.commit(batch);
    store.close();
    for (const name of readdirSync(folder).filter((name) => name.startsWith("meta.db"))) rmSync(join(folder, name));
    expect(() => openSqliteStore({ folder })).toThrow("[store-meta-missing]");
    expect(existsSync(join(folder, "meta.db"))).toBe(false);
  });

  it("a store killed after the week was written and before the counters were files the rest and nothing twice", async () => {
    const [first, second] = batchesOf(
      Array.from({ length: 20 }, (_, n) => anEvent({ text: `kind ${n % 3}`, visitor: n, at: noon + n })),
      10,
    );
    if (first === undefined || second === undefined) throw new Error("There are two batches.");
    let store = openSqliteStore({ folder });
    await store.commit(first);
    store.close();
    copyFileSync(join(folder, "meta.db"), join(folder, "meta-before"));
    store = openSqliteStore({ folder });
    await store.commit(second);
    const expected = await numbersOf(store);
    store.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(join(folder, `meta.db${suffix}`), { force: true });
    copyFileSync(join(folder, "meta-before"), join(folder, "meta.db"));

    store = openSqliteStore({ folder });
    expect(await store.appliedUpTo()).toBe(first.upTo);
    expect(await store.commit(second)).toMatchObject({ events: 10, duplicates: 0 });
    expect(await numbersOf(store)).toEqual(expected);
    expect(await store.check()).toEqual([]);
    store.close();
  });

  it("a store killed likewise after a week was split files the rest into the same file as before", async () => {
    const at = (n: number) => noon + n * 1_000;
    const [first, second] = batchesOf(
      Array.from({ length: 20 }, (_, n) => anEvent({ text: `kind ${n % 3}`, at: at(n) })),
      10,
    );
    if (first === undefined || second === undefined) throw new Error("There are two batches.");
    let store = openSqliteStore({ folder });
    await store.commit(first);
    // Part of the second batch was accepted before the split, part after.
    await store.splitPartition(at(14));
    store.close();
    copyFileSync(join(folder, "meta.db"), join(folder, "meta-before"));
    store = openSqliteStore({ folder });
    await store.commit(second);
    const expected = await numbersOf(store);
    store.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(join(folder, `meta.db${suffix}`), { force: true });
    copyFileSync(join(folder, "meta-before"), join(folder, "meta.db"));

    store = openSqliteStore({ folder });
    expect(await store.commit(second)).toMatchObject({ events: 10, duplicates: 0 });
    expect(await numbersOf(store)).toEqual(expected);
    expect((await store.partitions()).map(({ name, from, to }) => [name, from, to])).toEqual([
      ["events-2026-W46-2", at(14), Date.UTC(2026, 10, 16)],
      ["events-2026-W46", Date.UTC(2026, 10, 9), at(14)],
    ]);
    // Repeated events are recognised in either file.
    const again = [...first.items, ...second.items];
    const [repeated] = batchesOf(again, again.length, second.upTo);
    if (repeated === undefined) throw new Error("There is a batch.");
    expect(await store.commit(repeated)).toMatchObject({ events: 0, duplicates: 20 });
    expect(await store.check()).toEqual([]);
    store.close();
  });

  it("a store killed while a week is deleted or cut finishes it at the next start and counts the deletion once", async () => {
    const weekMs = 7 * 86_400_000;
    const events = [0, 1, 2].flatMap((week) =>
      Array.from({ length: 10 }, (_, n) => anEvent({ text: `kind ${n % 3}`, at: noon + week * weekMs + n * 1_000 })),
    );
    let store = openSqliteStore({ folder });
    for (const batch of batchesOf(events, 10)) await store.commit(batch);
    await store.dropPartition((await store.partitions()).at(-1)?.name ?? "", "bytes");
    expect(await store.deletions()).toEqual([{ what: "events", why: "bytes", n: 10 }]);
    const [newest, oldest] = await store.partitions();
    if (newest === undefined || oldest === undefined) throw new Error("There are two weeks.");
    store.close();
    // The state after a kill: recorded, and not executed yet.
    const meta = new DatabaseSync(join(folder, "meta.db"));
    const week = new DatabaseSync(join(folder, `${newest.name}.db`));
    const sixth = week.prepare("SELECT id, received_at AS at FROM event ORDER BY id LIMIT 1 OFFSET 5").get();
    week.close();
    meta
      .prepare("UPDATE week SET gone_before = ?, starts_at = ? WHERE name = ?")
      .run(sixth?.id ?? 0, sixth?.at ?? 0, newest.name);
    meta.prepare("UPDATE week SET gone_before = ? WHERE name = ?").run(Number.MAX_SAFE_INTEGER, oldest.name);
    meta.exec("UPDATE gone SET n = n + 15");
    meta.close();
    let reader = openSqliteReader({ folder });
    expect(await reader.check()).toEqual([]);
    reader.close();

    store = openSqliteStore({ folder });
    expect((await store.partitions()).map(({ name }) => name)).toEqual([newest.name]);
    expect(readdirSync(folder).filter((name) => name.startsWith(oldest.name))).toEqual([]);
    reader = openSqliteReader({ folder });
    const ids = events.map(({ eventId }) => eventId);
    expect(await storedIds(reader, ids)).toEqual(ids.slice(-5));
    expect(await reader.check()).toEqual([]);
    reader.close();
    await store.dropPartition(newest.name, "bytes");
    expect(await store.deletions()).toEqual([{ what: "events", why: "bytes", n: 30 }]);
    expect(await numbersOf(store)).toBeDefined();
    store.close();
  });

  it("creates a bounded number of issues per hour; further new errors share one, are found like any, and counted", async () => {
    const store = openSqliteStore({ folder, limits: { newIssuesPerHour: 3 } });
    const hourMs = 3_600_000;
    const flood = Array.from({ length: 8 }, (_, n) => anEvent({ text: `made up ${n}` }));
    const known = anEvent({ text: "made up 1" });
    const other = anEvent({ text: "of another project", project: 2 });
    const later = anEvent({ text: "made up 7", at: noon + hourMs });
    const collected: number[] = [];
    for (const batch of batchesOf([...flood, known, other, later], 4))
      collected.push((await store.commit(batch)).collected);
    expect(collected).toEqual([1, 4, 0]);
    const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 20 });
    expect(issues.map(({ type, title, events }) => [type, title, events])).toEqual([
      ["Too many new issues", "more different errors came in an hour than issues are made", 5],
      ["Error", "made up 1", 2],
      ...["made up 7", "made up 2", "made up 0"].map((title) => ["Error", title, 1]),
    ]);
    for (const { eventId } of flood) expect(await store.event(1, eventId)).toBeDefined();
    expect((await store.issues({ project: 2, filter: everyIssue, sort: "events", limit: 9 })).issues).toHaveLength(1);
    expect(await store.check()).toEqual([]);
    store.close();
  });

  it("a store killed while new errors were being collected collects the same ones again", async () => {
    const limits = { newIssuesPerHour: 3 };
    const texts = Array.from({ length: 20 }, (_, n) => anEvent({ text: `made up ${n}`, at: noon + n }));
    const [first, second] = batchesOf(texts, 10);
    if (first === undefined || second === undefined) throw new Error("There are two batches.");
    for (const killed of [first, second]) {
      const own = join(folder, String(killed.upTo));
      let store = openSqliteStore({ folder: own, limits });
      if (killed === second) await store.commit(first);
      store.close();
      copyFileSync(join(own, "meta.db"), join(own, "meta-before"));
      store = openSqliteStore({ folder: own, limits });
      await store.commit(killed);
      const expected = await numbersOf(store);
      store.close();
      for (const suffix of ["-wal", "-shm"]) rmSync(join(own, `meta.db${suffix}`), { force: true });
      renameSync(join(own, "meta-before"), join(own, "meta.db"));
      store = openSqliteStore({ folder: own, limits });
      await store.commit(killed);
      expect(await numbersOf(store)).toEqual(expected);
      const again = anEvent({ text: "made up 19", at: noon + 3_600_000 });
      for (const batch of batchesOf([again], 1, await store.appliedUpTo())) await store.commit(batch);
      const own19 = await store.issue(1, { id: (await store.event(1, again.eventId))?.issue ?? 0 });
      expect(own19, "the next hour it has an issue of its own").toMatchObject({ title: "made up 19" });
      store.close();
    }
  });

  it("stores a bounded number of invented names, scheduled tasks and notes", async () => {
    const limits = { newNamesPerHour: 30, monitorsPerProject: 3, feedbackPerProject: 4 };
    const store = openSqliteStore({ folder, limits });
    const events = Array.from({ length: 100 }, (_, n) => anEvent({ release: `made-up@${n}`, at: noon + n }));
    const base = { project: 1, receivedAt: noon };
    const checkIns = Array.from({ length: 10 }, (_, n) => ({
      kind: "check-in" as const,
      ...base,
      rowId: 0,
      monitor: `task ${n}`,
      environment: undefined,
      status: "ok" as const,
      at: noon,
      durationMs: undefined,
      checkInId: undefined,
      plan: undefined,
    }));
    const notes = Array.from({ length: 10 }, (_, n) => ({
      kind: "feedback" as const,
      ...base,
      rowId: 0,
      at: noon + n,
      eventId: undefined,
      name: undefined,
      email: undefined,
      url: undefined,
      message: `note ${n}`,
      ownId: undefined,
      facts: {},
    }));
    for (const batch of batchesOf([...events, ...checkIns, ...notes], 50)) await store.commit(batch);
    expect((await store.releases(1)).length).toBeLessThan(31);
    expect((await store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 9 })).issues).toMatchObject([
      { events: 100 },
    ]);
    expect(await store.monitors(1)).toHaveLength(3);
    expect(await store.discards(1, noon - 1, noon + 3_600_000)).toMatchObject([{ reason: expect.any(String), n: 7 }]);
    expect((await store.feedback(1)).map(({ message }) => message)).toEqual(["note 9", "note 8", "note 7", "note 6"]);
    store.close();
  });

  it("keeps the issue of an event that was filed before the kill, even if it would be grouped differently now", async () => {
    const [batch] = batchesOf([anEvent({ text: "old rule" })]);
    const [again] = batchesOf([
      { ...anEvent({ text: "new rule" }), eventId: batch?.items[0]?.kind === "event" ? batch.items[0].eventId : "" },
    ]);
    if (batch === undefined || again === undefined) throw new Error("There is a batch.");
    openSqliteStore({ folder }).close();
    copyFileSync(join(folder, "meta.db"), join(folder, "meta-before"));
    let store = openSqliteStore({ folder });
    await store.commit(batch);
    store.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(join(folder, `meta.db${suffix}`), { force: true });
    renameSync(join(folder, "meta-before"), join(folder, "meta.db"));
    store = openSqliteStore({ folder });
    await store.commit(again);
    const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 9 });
    expect(issues.map(({ id, events }) => [id, events])).toEqual([[batch.items[0]?.rowId, 1]]);
    expect(await store.eventsOf(1, issues[0]?.id ?? -1, { limit: 9 })).toHaveLength(1);
    store.close();
  });

  it("shows damaged bodies as damaged, leaves their neighbours readable, and reports them in a check", async () => {
    const store = openSqliteStore({ folder });
    const events = Array.from({ length: 40 }, (_, n) => anEvent({ text: "boom", tags: [["n", `${n}`]] }));
    // Events of one batch would be compressed together and damaged together.
    for (const batch of batchesOf(events, 1)) await store.commit(batch);
    store.close();
    const raw = new DatabaseSync(join(folder, weekFileIn(folder)));
    const bodies = raw.prepare("SELECT id, packed FROM body_block ORDER BY id").all();
    expect(bodies).toHaveLength(events.length);
    for (const [n, row] of bodies.entries()) {
      const packed = Buffer.from(row.packed as Uint8Array);
      // After the frame's header, which has an unused bit: flipping it would damage nothing.
      const at = 5 + (n % (packed.length - 5));
      packed[at] = (packed[at] ?? 0) ^ (1 << (n % 8));
      if (n % 2 === 0) raw.prepare("UPDATE body_block SET packed = ? WHERE id = ?").run(packed, row.id as number);
    }
    raw.close();
    const damaged = openSqliteStore({ folder });
    for (const [n, { eventId }] of events.entries()) {
      expect((await damaged.event(1, eventId))?.body.kind, `event ${n}`).toBe(n % 2 === 0 ? "damaged" : "whole");
    }
    expect(await damaged.check()).toEqual([expect.stringContaining("20 event bodies are damaged")]);
    damaged.close();
  });

  it("loses at most eight bodies of one block, or those of one group and week, to a flipped bit", async () => {
    const store = openSqliteStore({ folder });
    const events = ["boom", "bang"].flatMap((text) =>
      Array.from({ length: 16 }, (_, n) => anEvent({ text, tags: [["n", `${n}`]] })),
    );
    for (const batch of batchesOf(events)) await store.commit(batch);
    store.close();
    const damagedBy = async (table: string, key: string, at: number): Promise<(string | undefined)[]> => {
      const raw = new DatabaseSync(join(folder, weekFileIn(folder)));
      const row = raw.prepare(`SELECT * FROM ${table} WHERE ${key} <= ? ORDER BY ${key} DESC`).get(at);
      const packed = row?.packed as Uint8Array;
      const put = raw.prepare(`UPDATE ${table} SET packed = ? WHERE ${key} = ?`);
      const flipped = Buffer.from(packed);
      // The four blocks of the batch share a row.
      const part = table === "body_block" ? blocksIn(row as unknown as BlockRow)[at - 1]?.packed : packed;
      const middle = flipped.indexOf(part ?? "") + ((part?.length ?? 0) >> 1);
      flipped[middle] = (flipped[middle] ?? 0) ^ 1;
      put.run(flipped, row?.[key] as number);
      const reader = openSqliteReader({ folder });
      const found = await Promise.all(events.map(({ eventId }) => reader.event(1, eventId)));
      reader.close();
      put.run(packed, row?.[key] as number);
      raw.close();
      return found.map((event) => event?.body.kind);
    };
    const damaged = (from: number, until: number): string[] =>
      events.map((_, n) => (n >= from && n < until ? "damaged" : "whole"));
    for (const block of [1, 2, 3, 4])
      expect(await damagedBy("body_block", "id", block)).toEqual(damaged(8 * (block - 1), 8 * block));
    // The reference of the other events of its group.
    const firsts = rowsOf(join(folder, weekFileIn(folder)), "reference_body").map(({ grp }) => grp as number);
    expect(firsts).toHaveLength(2);
    expect(await damagedBy("reference_body", "grp", firsts[0] ?? -1)).toEqual(damaged(0, 16));
    expect(await damagedBy("reference_body", "grp", firsts[1] ?? -1)).toEqual(damaged(16, 32));
  });

  it("reports damaged spans, in the trace and in a check", async () => {
    const [near, far] = [someSpans("near"), someSpans("far")];
    let store = openSqliteStore({ folder });
    // Two batches, so two blocks.
    for (const batch of batchesOf([near, far], 1)) await store.commit(batch);
    store.close();
    const raw = new DatabaseSync(join(folder, weekFileIn(folder)));
    raw.exec("UPDATE body_block SET packed = substr(packed, 1, 20) || x'00' || substr(packed, 22) WHERE id = 1");
    raw.close();
    store = openSqliteStore({ folder });
    expect(await store.trace(1, near.traceId)).toMatchObject({ spans: [], damaged: 1 });
    expect(await store.trace(1, far.traceId)).toMatchObject({ spans: [{ name: "GET /" }], damaged: 0 });
    expect(await store.check()).toEqual([expect.stringContaining("1 span blocks are damaged")]);
    store.close();
  });

  it("opens a store whose bodies were compressed one by one, and continues it", async () => {
    const [old, fresh] = [anEvent({ text: "boom" }), anEvent({ text: "boom" })];
    const [oldSpans, freshSpans] = [someSpans("old"), someSpans("fresh")];
    const [first, second] = batchesOf([old, oldSpans, fresh, freshSpans], 2);
    if (first === undefined || second === undefined) throw new Error("There are two batches.");
    let store = openSqliteStore({ folder });
    await store.commit(first);
    store.close();
    const raw = new DatabaseSync(join(folder, weekFileIn(folder)));
    raw.exec("DROP TABLE other_id; DROP TABLE body_block; ALTER TABLE event DROP COLUMN place");
    raw.exec("ALTER TABLE span_block DROP COLUMN place");
    raw.exec("PRAGMA user_version = 2");
    raw.prepare("INSERT INTO body SELECT id, ? FROM event").run(pack(old.body.bytes, old.body.bytes));
    raw.prepare("UPDATE span_block SET packed = ?").run(pack(oldSpans.body.bytes));
    raw.close();
    store = openSqliteStore({ folder });
    await store.commit(second);
    for (const { eventId } of [old, fresh])
      expect((await store.event(1, eventId))?.body).toMatchObject({ kind: "whole", event: { eventId } });
    for (const { traceId } of [oldSpans, freshSpans])
      expect(await store.trace(1, traceId)).toMatchObject({ spans: [{ traceId, name: "GET /" }], damaged: 0 });
    expect(await store.check()).toEqual([]);
    store.close();
  });

  it("opens a store whose blocks had a row each, and continues it", async () => {
    const events = Array.from({ length: 20 }, (_, n) => anEvent({ text: `kind ${n}` }));
    const [first, second] = batchesOf(events, 10);
    if (first === undefined || second === undefined) throw new Error("There are two batches.");
    let store = openSqliteStore({ folder });
    await store.commit(first);
    store.close();
    const raw = new DatabaseSync(join(folder, weekFileIn(folder)));
    const row = raw.prepare("SELECT * FROM body_block").get() as unknown as BlockRow;
    raw.exec("DELETE FROM body_block; ALTER TABLE body_block DROP COLUMN blocks; PRAGMA user_version = 5");
    for (const [at, { groups, packed }] of blocksIn(row).entries())
      raw.prepare("INSERT INTO body_block VALUES (?, ?, ?)").run(row.id + at, JSON.stringify(groups), packed);
    raw.close();
    store = openSqliteStore({ folder });
    await store.commit(second);
    for (const { eventId } of events) expect((await store.event(1, eventId))?.body.kind).toBe("whole");
    expect(await store.check()).toEqual([]);
    expect(rowsOf(join(folder, weekFileIn(folder)), "body_block").map(({ id }) => id)).toEqual([1, 2, 3]);
    store.close();
  });

  it("leaves little of a page empty where blocks are", async () => {
    const store = openSqliteStore({ folder });
    // With 320 bytes that no dictionary has: a block is a little more than a third of a page.
    const events = Array.from({ length: 1_600 }, (_, n) =>
      anEvent({
        body: { form: "filed", bytes: Buffer.from(hex(`${n}`).repeat(2) + randomBytes(320).toString("hex")) },
      }),
    );
    for (const batch of batchesOf(events, 800)) await store.commit(batch);
    store.close();
    const raw = new DatabaseSync(join(folder, weekFileIn(folder)));
    const { used, size } = raw
      .prepare("SELECT sum(payload) AS used, sum(pgsize) AS size FROM dbstat WHERE name = 'body_block'")
      .get() as { used: number; size: number };
    raw.close();
    expect(used / size).toBeGreaterThan(0.9);
  });

  it("keeps no log of a week that is over", async () => {
    const store = openSqliteStore({ folder });
    const weeks = [0, 1, 2].map((n) => anEvent({ at: noon + n * 7 * 86_400_000 }));
    for (const batch of batchesOf(weeks, 1)) await store.commit(batch);
    const logs = readdirSync(folder).filter((name) => /^events-.*-wal$/.test(name));
    expect(logs.toSorted().map((name) => statSync(join(folder, name)).size > 0)).toEqual([false, false, true]);
    store.close();
  });

  it("migrates issues that were resolved before releases were recorded, and counts from then on", async () => {
    let store = openSqliteStore({ folder });
    for (const batch of batchesOf([anEvent({ text: "old" })])) await store.commit(batch);
    const [issue] = (await store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 9 })).issues;
    await store.change({
      project: 1,
      issues: [issue?.id ?? 0],
      change: { kind: "resolve", in: "release", release: "2.0.0" },
      by: "jo",
      at: noon,
    });
    store.close();
    const raw = new DatabaseSync(join(folder, "meta.db"));
    raw.exec(`DROP INDEX issue_stuck; ALTER TABLE issue DROP COLUMN stuck_order; ALTER TABLE issue DROP COLUMN stuck;
      ALTER TABLE issue DROP COLUMN ticket;
      ALTER TABLE issue_group DROP COLUMN stuck; DROP INDEX issue_history_regressed; DROP INDEX issue_fixed_in; DROP INDEX issue_fixed_after;
      DROP INDEX issue_regressed_in;
      ALTER TABLE issue DROP COLUMN fixed_in; ALTER TABLE issue DROP COLUMN fixed_after; ALTER TABLE issue DROP COLUMN regressed_in;
      DROP TABLE release_chunk; DROP TABLE release_commits; DROP TABLE new_issues; DROP TABLE gone; DROP TABLE erased;
      ALTER TABLE source_map DROP COLUMN added_at; ALTER TABLE week DROP COLUMN gone_before; ALTER TABLE monitor DROP COLUMN plan;
      ${["first_at", "muted", "runs", "watch"].map((name) => `ALTER TABLE monitor DROP COLUMN ${name};`).join("\n")}
      DROP TABLE watched; DROP TABLE traffic_quarter; DROP TABLE affected_hour; DROP INDEX feedback_own_id; DROP INDEX feedback_archived;
      ${["own_id", "facts", "archived_at"].map((name) => `ALTER TABLE feedback DROP COLUMN ${name};`).join("\n")}
      ${["type", "title", "culprit", "level", "last_release", "last_event"].map((name) => `ALTER TABLE issue_group DROP COLUMN ${name};`).join("\n")}
      PRAGMA user_version = 1`);
    raw.close();

    store = openSqliteStore({ folder });
    const filter = readFilter("resolved-in:2.0.0");
    expect((await store.issues({ project: 1, filter, sort: "events", limit: 9 })).issues).toMatchObject([
      { title: "old" },
    ]);
    const chunks = [{ debugId: hex("chunk"), file: "/a.js", mapped: false }];
    const late = anEvent({ text: "new", release: "2.0.0", chunks });
    for (const batch of batchesOf([late], 1, await store.appliedUpTo())) await store.commit(batch);
    expect((await store.chunkCounts(1)).get("2.0.0")).toEqual({ chunks: 1, withoutMap: 1 });
    expect((await store.releases(1)).find(({ name }) => name === "2.0.0")).toMatchObject({ resolvedIn: 1 });
    // Of two events, the second is counted.
    const counted = await store.traffic({ project: 1, step: "quarter", from: 0, to: noon });
    expect(counted).toMatchObject([{ at: noon, errors: 1 }]);
    store.close();
  });

  it("can be read while it is written, and not by other users of the machine", async () => {
    const store = openSqliteStore({ folder });
    const reader = openSqliteReader({ folder });
    const event = anEvent();
    for (const batch of batchesOf([event])) await store.commit(batch);
    expect((await reader.event(1, event.eventId))?.body.kind).toBe("whole");
    const later = anEvent({ at: noon + 7 * 86_400_000 });
    for (const batch of batchesOf([later], 1, await store.appliedUpTo())) await store.commit(batch);
    expect((await reader.event(1, later.eventId))?.body.kind).toBe("whole");
    await store.dropPartition((await store.partitions()).at(-1)?.name ?? "", "age");
    expect(await reader.event(1, event.eventId)).toBeUndefined();
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".db"))) {
      expect(statSync(join(folder, file)).mode & 0o077, file).toBe(0);
    }
    reader.close();
    store.close();
  });

  it("releases nothing of the journal while a file is missing, and continues when it is back", async () => {
    const store = openSqliteStore({ folder });
    const [first, second] = batchesOf([anEvent(), anEvent()], 1);
    if (first === undefined || second === undefined) throw new Error("There are two batches.");
    await store.commit(first);
    const [meta, away] = [join(folder, "meta.db"), join(folder, "away")];
    renameSync(meta, away);
    await expect(store.makeDurable()).rejects.toThrow(/meta\.db was moved.*\[store-file-not-in-place\]/);
    copyFileSync(away, meta);
    await expect(store.makeDurable()).rejects.toThrow("[store-file-not-in-place]");
    renameSync(away, meta);
    await store.commit(second);
    expect(await store.makeDurable()).toBe(second.upTo);
    store.close();
  });

  it("frees disk space at once when a week is deleted", async () => {
    const store = openSqliteStore({ folder });
    for (const batch of batchesOf([anEvent(), anEvent({ at: noon + 14 * 86_400_000 })])) await store.commit(batch);
    const file = weekFileIn(folder);
    await store.dropPartition(file.replace(/\.db$/, ""), "age");
    expect(existsSync(join(folder, file))).toBe(false);
    store.close();
  });

  it("refuses a file of a newer version, and explains what to do", () => {
    openSqliteStore({ folder }).close();
    const raw = new DatabaseSync(join(folder, "meta.db"));
    raw.exec("PRAGMA user_version = 99");
    raw.close();
    expect(() => openSqliteStore({ folder })).toThrow(/format is 99.*\[store-from-newer-version\]/);
  });
});

function someSpans(name: string): FiledSpans {
  const [traceId, spanId] = [hex(name), hex(name).slice(0, 16)];
  const span = { traceId, spanId, name: "GET /", startMs: noon, endMs: noon, isSegment: true, status: "ok" };
  return {
    kind: "spans",
    rowId: 0,
    project: 1,
    receivedAt: noon,
    traceId,
    key: Number.parseInt(spanId.slice(0, 12), 16),
    at: noon,
    body: jsonOfSpans([{ ...span, attributes: {}, links: [] }]),
    segments: [],
    measures: [],
    counts: [],
  };
}

function rowsOf(file: string, table: string) {
  const raw = new DatabaseSync(file);
  const rows = raw.prepare(`SELECT * FROM ${table} ORDER BY 1`).all();
  raw.close();
  return rows;
}

function weekFileIn(folder: string): string {
  return (
    readdirSync(folder)
      .filter((name) => /^events-.*\.db$/.test(name))
      .sort()[0] ?? ""
  );
}

async function numbersOf(store: Store): Promise<unknown> {
  const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "first-seen", limit: 100 });
  const series = { project: 1, step: "hour", from: noon - 1, to: noon + 9e6 } as const;
  return Promise.all(
    issues.map(async (issue) => [
      issue,
      (await store.eventsOf(1, issue.id, { limit: 100 })).length,
      (await store.series({ ...series, issues: [issue.id] })).get(issue.id),
    ]),
  );
}
