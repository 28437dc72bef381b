import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addToSketch, quantileOf, type SketchSet } from "../sketches/quantile-sketch.ts";
import { countVisitors, emptyVisitorSketch, mergeVisitors } from "../sketches/visitor-count.ts";
import { ErasedMarks } from "./erase/erased-marks.ts";
import { type ErasureMatch, type ErasureStep, matchesNothing } from "./erase/erasure.ts";
import { mentionHash } from "./erase/mentions.ts";
import { foreseeErasure, planErasure, runErasure } from "./erase/run-erasure.ts";
import type {
  FiledAttachment,
  FiledCheckIn,
  FiledFeedback,
  FiledItem,
  FiledSession,
  FiledSpans,
  LogLine,
} from "./filed.ts";
import { anEvent, batchesOf, hex, noon } from "./filed-examples.ts";
import { everyIssue, readFilter } from "./filter-language.ts";
import type { FeedbackRecord, IssueRecord } from "./records.ts";
import type { SourceMapReader, Store } from "./store.ts";
import { noProblems } from "./store-health.ts";
import type { FeedbackQuery, IssueChange, IssueVisitorsQuery, LogCursor, LogQuery } from "./store-requests.ts";
import { jsonOfSpans } from "./values/spans-json.ts";
import { visitorHash } from "./values/visitor-hash.ts";

type AnyStore = Store & SourceMapReader;

/** The store of the current test, and shorthands for it. */
interface StoreFixture {
  readonly store: () => AnyStore;
  readonly folder: () => string;
  readonly open: OpenStore;
  readonly reopen: () => Promise<void>;
  readonly file: (items: readonly FiledItem[], perBatch?: number) => Promise<void>;
  readonly listed: (filter?: string, project?: number) => Promise<readonly IssueRecord[]>;
  readonly titles: (filter?: string) => Promise<string[]>;
  readonly only: () => Promise<IssueRecord>;
  readonly idsOf: (...titles: string[]) => Promise<number[]>;
}

/** Opens the store of a folder, for the first time or again. */
type OpenStore = (folder: string) => AnyStore | Promise<AnyStore>;

/** Requirements of any store, on any engine. An engine with its own backups writes none into folders. */
export function describeStore(engine: string, open: OpenStore, backups: "into folders" | "elsewhere"): void {
  describe(`${engine} store`, () => {
    const fixture = storeFixture(open);
    describeFilingEvents(fixture);
    describeFlood(fixture);
    describeIssueList(fixture);
    describeIssueLife(fixture);
    describeEvent(fixture);
    describeTraces(fixture);
    describeProjects(fixture);
    describeSessions(fixture);
    describeTraffic(fixture);
    describeMeasuresBothWays(fixture);
    describeRoutes(fixture);
    describeReleaseIssues(fixture);
    describeLogs(fixture);
    describeOtherItems(fixture);
    describeMonitors(fixture);
    describeFeedback(fixture);
    describeAttachments(fixture);
    describeTrail(fixture);
    describeVisitors(fixture);
    describeRelease(fixture);
    describeSourceMaps(fixture);
    describeUpkeep(fixture);
    describeErasure(fixture);
    if (backups === "into folders") describeBackup(fixture);
  });
}

/** Opens a new store for each test. */
function storeFixture(open: OpenStore): StoreFixture {
  let folder: string;
  let store: AnyStore;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-store-"));
    store = await open(folder);
  });

  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  const listed = async (filter = "", project = 1): Promise<readonly IssueRecord[]> => {
    await store.settled();
    return (await store.issues({ project, filter: readFilter(filter), sort: "last-seen", limit: 100 })).issues;
  };
  return {
    store: () => store,
    folder: () => folder,
    open,
    async reopen() {
      store.close();
      store = await open(folder);
    },
    async file(items, perBatch) {
      for (const batch of batchesOf(items, perBatch, await store.appliedUpTo())) await store.commit(batch);
      await store.settled();
    },
    listed,
    titles: async (filter) => (await listed(filter)).map(({ title }) => title).sort(),
    async only() {
      const [issue, ...others] = await listed();
      if (issue === undefined || others.length > 0)
        throw new Error(`Expected one issue, there are ${others.length + (issue ? 1 : 0)}.`);
      return issue;
    },
    async idsOf(...wanted) {
      const issues = await listed();
      return wanted.map((title) => issues.find((issue) => issue.title === title)?.id ?? 0);
    },
  };
}

function describeFilingEvents({ store, file, listed, titles, only, reopen }: StoreFixture): void {
  describe("filing events", () => {
    it("groups events of one fingerprint into one issue, and counts them", async () => {
      await file([anEvent({ at: noon }), anEvent({ at: noon + 5_000 }), anEvent({ text: "other" })]);
      expect(await titles()).toEqual(["boom", "other"]);
      const boom = (await listed()).find(({ title }) => title === "boom");
      expect(boom).toMatchObject({
        number: 1,
        events: 2,
        firstSeen: noon,
        lastSeen: noon + 5_000,
        state: { kind: "open" },
      });
    });

    it("numbers the issues of each project from one", async () => {
      await file([anEvent({ text: "a" }), anEvent({ text: "b" }), anEvent({ text: "a", project: 2 })]);
      expect((await listed("", 1)).map(({ number }) => number).sort()).toEqual([1, 2]);
      expect((await listed("", 2)).map(({ number }) => number)).toEqual([1]);
    });

    it("finds an event by its id and by the prefix in a digest, only in its own project", async () => {
      const event = anEvent();
      await file([event]);
      expect(await store().event(1, event.eventId)).toMatchObject({
        eventId: event.eventId,
        body: { kind: "whole", event: { exceptions: [{ value: "boom" }] } },
      });
      expect((await store().event(undefined, event.eventId.slice(0, 15)))?.eventId).toBe(event.eventId);
      expect(await store().event(2, event.eventId)).toBeUndefined();
      expect(await store().event(1, hex("never sent"))).toBeUndefined();
    });

    it("recognises a second delivery of an event, in one batch, in the next, and a week later", async () => {
      const event = anEvent();
      await file([event, event]);
      await file([event]);
      await file([{ ...event, receivedAt: event.receivedAt + 7 * 86_400_000 }]);
      expect((await only()).events).toBe(1);
      expect(await store().eventsOf(1, (await only()).id, { limit: 10 })).toHaveLength(1);
    });

    it("lets two projects use the same event id", async () => {
      const event = anEvent();
      await file([event, { ...event, project: 2 }]);
      expect((await store().event(1, event.eventId))?.project).toBe(1);
      expect((await store().event(2, event.eventId))?.project).toBe(2);
    });

    it("has the same counters for any order and any batches, with duplicates among them", async () => {
      const events = Array.from({ length: 60 }, (_, n) =>
        anEvent({ text: `kind ${n % 4}`, at: noon + n * 600_000, release: `1.${n % 3}.0`, visitor: 1_000 + (n % 7) }),
      );
      await file(shuffled([...events, ...events.slice(0, 20)]), 7);
      for (let kind = 0; kind < 4; kind++) {
        const mine = events.filter(({ title }) => title.text === `kind ${kind}`);
        const issue = (await listed()).find(({ title }) => title === `kind ${kind}`);
        expect(issue).toMatchObject({
          events: 15,
          visitors: new Set(mine.map(({ visitor }) => visitor)).size,
          firstSeen: Math.min(...mine.map(({ at }) => at)),
          lastSeen: Math.max(...mine.map(({ at }) => at)),
        });
        const id = issue?.id ?? 0;
        const rows = await store().eventsOf(1, id, { limit: 100 });
        expect(rows).toHaveLength(15);
        for (const step of ["hour", "day"] as const) {
          const points =
            (await store().series({ project: 1, issues: [id], step, from: noon - 1, to: noon + 60 * 600_000 })).get(
              id,
            ) ?? [];
          expect(
            points.reduce((sum, { n }) => sum + n, 0),
            step,
          ).toBe(15);
        }
        const byRelease = (await store().releasesOf(1, id)).reduce((sum, { events: n }) => sum + n, 0);
        expect(byRelease).toBe(15);
      }
    });

    it("changes nothing when the journal is replayed from the beginning, before and after a restart", async () => {
      const batches = batchesOf(
        [anEvent({ text: "a" }), anEvent({ text: "b" }), aSession({ ended: "crashed" }), spans({})],
        2,
      );
      for (const batch of batches) await store().commit(batch);
      const before = await picture(store());
      for (const batch of batches) await store().commit(batch);
      expect(await picture(store())).toEqual(before);
      await reopen();
      for (const batch of batches) await store().commit(batch);
      expect(await picture(store())).toEqual(before);
      expect(await store().appliedUpTo()).toBe(batches.at(-1)?.upTo);
      expect(await store().makeDurable()).toBe(await store().appliedUpTo());
    });

    it("files nothing of a batch that fails, and everything when it is repeated", async () => {
      await file([anEvent({ text: "before" })]);
      const [batch] = batchesOf([anEvent({ text: "a" }), anEvent({ text: "b" })], 2, await store().appliedUpTo());
      if (batch === undefined) throw new Error("There is one batch.");
      const broken = {
        ...batch,
        items: batch.items.map((item, n) =>
          n === 1 ? { ...item, at: Symbol("no number") as unknown as number } : item,
        ),
      };
      await expect(store().commit(broken)).rejects.toThrow();
      expect(await titles()).toEqual(["before"]);
      await store().commit(batch);
      expect(await titles()).toEqual(["a", "b", "before"]);
      expect((await listed()).map(({ number }) => number).sort()).toEqual([1, 2, 3]);
    });

    it("keeps an issue together when a new version of grouping is added", async () => {
      const old = anEvent({ text: "boom" });
      await file([old]);
      const reason = { rule: "stack" as const, parts: ["new rule"] };
      const both = anEvent({ grouping: [{ version: 2, hash: hex("v2"), reason }, old.grouping[0]] });
      const newer = anEvent({ grouping: [{ version: 2, hash: hex("v2"), reason }] });
      await file([both, newer]);
      expect((await only()).events).toBe(3);
    });

    it("counts a thousand visitors exactly, and more of them closely", { timeout: 60_000 }, async () => {
      await file(
        Array.from({ length: 1_000 }, (_, n) => anEvent({ visitor: visitor(n) })),
        250,
      );
      expect((await only()).visitors).toBe(1_000);
      await file(
        Array.from({ length: 2_000 }, (_, n) => anEvent({ visitor: visitor(n + 500) })),
        500,
      );
      expect(Math.abs((await only()).visitors - 2_500) / 2_500).toBeLessThan(0.1);
    });

    it("counts a hundred values of a tag by name and the rest together", async () => {
      await file(Array.from({ length: 130 }, (_, n) => anEvent({ tags: [["order", `${n}`]] })));
      const counts = (await store().tagsOf(1, (await only()).id)).filter(({ key }) => key === "order");
      expect(counts).toHaveLength(101);
      expect(counts.find(({ value }) => value === "(others)")?.n).toBe(30);
    });

    it("keeps hostile text as text", async () => {
      const text = "a\u202Eb ' \" ; DROP TABLE issue; -- %s __proto__ \uFFFD";
      await file([anEvent({ text, route: "__proto__", tags: [["__proto__", "constructor"]] })]);
      expect((await only()).title).toBe(text);
      expect(await store().tagsOf(1, (await only()).id)).toEqual([{ key: "__proto__", value: "constructor", n: 1 }]);
    });
  });
}

function describeFlood({ store, file, only }: StoreFixture): void {
  describe("a flood of one error", () => {
    it("keeps every row and every count, and a sample of the bodies", { timeout: 120_000 }, async () => {
      const flood = Array.from({ length: 2_100 }, () => anEvent());
      await file(flood, 700);
      expect((await only()).events).toBe(2_100);
      const kept = await Promise.all(flood.map(({ eventId }) => store().event(1, eventId)));
      const kinds = kept.map((event) => event?.body.kind);
      expect(kinds.filter((kind) => kind === "whole")).toHaveLength(2_010);
      expect(kinds.filter((kind) => kind === "damped")).toHaveLength(90);
    });
  });
}

function describeIssueList({ store, file, titles, idsOf, listed }: StoreFixture): void {
  describe("the issue list", () => {
    it("is filtered by state, release, route, environment, level, tag and visitor, with wildcards and negation", async () => {
      await file([
        anEvent({ text: "a", release: "1.4.2", route: "/cart", visitor: visitor(1) }),
        anEvent({
          text: "b",
          release: "1.5.0",
          level: "warning",
          environment: "staging",
          tags: [
            ["environment", "staging"],
            ["browser", "Firefox"],
          ],
        }),
        anEvent({ text: "c", release: "2.0.0", route: "/cart/[id]" }),
      ]);
      expect(await titles("release:1.*")).toEqual(["a", "b"]);
      expect(await titles("-release:1.*")).toEqual(["c"]);
      expect([await store().hasTag(1, "nonsense"), await store().hasTag(2, "environment")]).toEqual([false, false]);
      expect(await titles("route:/cart")).toEqual(["a"]);
      expect(await titles("route:/cart*")).toEqual(["a", "c"]);
      expect(await titles('route:"/cart/[id]"')).toEqual(["c"]);
      expect(await titles("level:warning env:staging")).toEqual(["b"]);
      expect(await titles("browser:Firefox")).toEqual(["b"]);
      expect(await titles("user:visitor-1")).toEqual(["a"]);
      expect(await titles("user:nobody")).toEqual([]);
      expect(await titles("user:*")).toEqual(["a"]);
      expect(await titles("-user:*")).toEqual(["b", "c"]);
      expect(await titles("is:open")).toEqual(["a", "b", "c"]);
      expect(await titles("is:resolved")).toEqual([]);
    });

    it("is searched by words of title, file, function and route", async () => {
      await file([
        anEvent({ text: "Cannot read cartTotal" }),
        anEvent({ text: "Timeout", searchText: "TimeoutError Timeout src/server/orders.ts findOrder" }),
      ]);
      expect(await titles("cartTot")).toEqual(["Cannot read cartTotal"]);
      expect(await titles("orders.ts")).toEqual(["Timeout"]);
      expect(await titles('"cannot read"')).toEqual(["Cannot read cartTotal"]);
      expect(await titles("-timeout")).toEqual(["Cannot read cartTotal"]);
      expect(await titles('"*()" OR NEAR(')).toEqual([]);
    });

    it("is paged by a cursor that misses and repeats nothing while events arrive", async () => {
      await file(Array.from({ length: 23 }, (_, n) => anEvent({ text: `e${n}`, at: noon + n })));
      const seen: string[] = [];
      let page = await store().issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 5 });
      for (;;) {
        seen.push(...page.issues.map(({ title }) => title));
        await file([anEvent({ text: `new ${seen.length}`, at: noon + 1_000 })]);
        if (page.next === undefined) break;
        page = await store().issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 5, after: page.next });
      }
      expect(seen).toEqual(Array.from({ length: 23 }, (_, n) => `e${22 - n}`));
    });

    it("is read backwards from a row, also from one that the filter leaves out", async () => {
      await file(["a", "b", "c", "d", "e", "f"].map((text, n) => anEvent({ text, at: noon + n })));
      const [c = 0, e = 0] = await idsOf("c", "e");
      const rowsBefore = async (title: string, at: number, filter = "", limit = 2) => {
        const [id = 0] = await idsOf(title);
        const { issues, next } = await store().issues({
          project: 1,
          filter: readFilter(filter),
          sort: "last-seen",
          before: { value: at, id },
          limit,
        });
        expect(next).toBeUndefined();
        return issues.map((issue) => issue.title);
      };
      expect(await rowsBefore("b", noon + 1)).toEqual(["d", "c"]);
      expect(await rowsBefore("e", noon + 4)).toEqual(["f"]);
      expect(await rowsBefore("f", noon + 5)).toEqual([]);
      await store().change({
        project: 1,
        issues: [c, e],
        change: { kind: "mute", until: { kind: "for-ever" } },
        by: "ann",
        at: noon,
      });
      expect(await rowsBefore("c", noon + 2, "is:open")).toEqual(["f", "d"]);
      expect(await rowsBefore("a", noon, "is:open is:muted", 3)).toEqual(["d", "c", "b"]);
      expect(await rowsBefore("a", noon, "is:muted", 1)).toEqual(["c"]);
    });

    it("is read backwards among rows of one moment by their ids", async () => {
      await file(["a", "b", "c"].map((text) => anEvent({ text, at: noon })));
      const ids = await idsOf("a", "b", "c");
      const [first = 0, second = 0, third = 0] = ids.toSorted((a, b) => b - a);
      const rowsBefore = async (id: number) =>
        (
          await store().issues({
            project: 1,
            filter: everyIssue,
            sort: "last-seen",
            before: { value: noon, id },
            limit: 1,
          })
        ).issues.map((issue) => issue.id);
      expect([await rowsBefore(third), await rowsBefore(second), await rowsBefore(first)]).toEqual([
        [second],
        [first],
        [],
      ]);
    });

    it("is sorted by events and by visitors", async () => {
      await file([
        anEvent({ text: "rare", visitor: visitor(1) }),
        anEvent({ text: "rare", visitor: visitor(2) }),
        ...[1, 2, 3].map(() => anEvent({ text: "often", visitor: visitor(1) })),
      ]);
      const by = async (sort: "events" | "visitors") =>
        (await store().issues({ project: 1, filter: everyIssue, sort, limit: 1 })).issues[0]?.title;
      expect(await by("events")).toBe("often");
      expect(await by("visitors")).toBe("rare");
    });

    it("is sorted by visitors who got no further, and equal ones by their newest event, on every page", async () => {
      await file([
        ...["a", "b", "c", "d"].map((text, n) => anEvent({ text, at: noon + n * 1_000 })),
        anEvent({ text: "a", project: 2 }),
      ]);
      const [a = 0, b = 0] = await idsOf("a", "b");
      await store().setStuck(1, [
        { group: a, visitors: 2 },
        { group: b, visitors: 3 },
        { group: 4_711, visitors: 9 },
      ]);
      const query = { project: 1, filter: everyIssue, sort: "stuck", limit: 2 } as const;
      const first = await store().issues(query);
      const second = await store().issues({ ...query, ...(first.next && { after: first.next }) });
      expect([...first.issues, ...second.issues].map(({ title, stuck }) => [title, stuck])).toEqual([
        ["b", 3],
        ["a", 2],
        ["d", 0],
        ["c", 0],
      ]);
      expect((await listed("", 2)).map(({ stuck }) => stuck)).toEqual([0]);
      await store().change({ project: 1, issues: [b], change: { kind: "merge", into: a }, by: "kim", at: noon });
      expect((await store().issue(1, { id: a }))?.stuck).toBe(5);
      await store().setStuck(1, [{ group: b, visitors: 1 }]);
      expect((await store().issue(1, { id: a }))?.stuck).toBe(3);
      await store().change({ project: 1, issues: [a], change: { kind: "split" }, by: "kim", at: noon });
      const after = [await store().issue(1, { id: a }), await store().issue(1, { id: b })];
      expect(after.map((issue) => issue?.stuck)).toEqual([2, 1]);
    });
  });
}

function describeIssueLife({ store, file, titles, only, idsOf }: StoreFixture): void {
  describe("the life of an issue", () => {
    it("an issue resolved in the next release regresses in that release", async () => {
      await file([anEvent({ release: "1.4.0" })]);
      await store().change({
        project: 1,
        issues: [(await only()).id],
        change: { kind: "resolve", in: "next-release" },
        by: "kim",
        at: noon + 1,
      });
      await file([anEvent({ release: "1.4.0", at: noon + 60_000 })]);
      expect((await only()).state.kind).toBe("resolved");
      const [batch] = batchesOf([anEvent({ release: "1.5.0", at: noon + 120_000 })], 1, await store().appliedUpTo());
      const told = [batch && (await store().commit(batch)), await store().settled()];
      expect(told.flatMap((summary) => summary?.regressedIssues ?? [])).toEqual([(await only()).id]);
      expect((await only()).state).toMatchObject({ kind: "regressed", release: "1.5.0" });
      expect((await store().history(1, (await only()).id)).map(({ by, what }) => [by, what.kind])).toEqual([
        ["kim", "state"],
        ["events", "state"],
      ]);
    });

    it("is given to the person whom a rule names, when it is new and when it comes back, but never against people", async () => {
      const owner = () => ({ to: "ada", rule: "route:/cart" });
      await file([
        anEvent({ text: "owned", owner }),
        anEvent({ text: "free", owner: () => undefined }),
        anEvent({ text: "taken" }),
      ]);
      expect(await titles("assigned:ada")).toEqual(["owned"]);
      expect(await titles("assigned:none")).toEqual(expect.arrayContaining(["free", "taken"]));
      const [owned = 0, free = 0, taken = 0] = await idsOf("owned", "free", "taken");
      const assigned = async (id: number) =>
        (await store().history(1, id)).flatMap(({ by, at, what }) =>
          what.kind === "assigned" ? [{ by, at, what }] : [],
        );
      const byRule = { by: "rules", what: { kind: "assigned", to: "ada", rule: "route:/cart" } };
      expect(await assigned(owned)).toEqual([{ ...byRule, at: noon }]);
      // A person gives two of them back.
      const giveBack = { kind: "assign", to: undefined } as const;
      await store().change({ project: 1, issues: [owned, taken], change: giveBack, by: "kim", at: noon + 1 });
      const resolve = { kind: "resolve", in: "now" } as const;
      await store().change({ project: 1, issues: [owned, free, taken], change: resolve, by: "kim", at: noon + 2 });
      const again = { at: noon + 60_000, owner };
      await file(["owned", "free", "taken"].map((text) => anEvent({ text, ...again })));
      expect(await titles("is:regressed")).toHaveLength(3);
      expect(await titles("assigned:ada")).toEqual(["free"]);
      expect(await assigned(free)).toEqual([{ ...byRule, at: noon + 60_000 }]);
      // Another event of an open issue changes nothing.
      await file([anEvent({ text: "taken", at: noon + 61_000, owner: () => ({ to: "bo", rule: "path:**" }) })]);
      expect(await titles("assigned:bo")).toEqual([]);
    });

    it("its regression is news after those that are known, in its own project", async () => {
      await file([anEvent({ release: "1.4.0" })]);
      expect(await store().issueNews(1, 0, 10)).toEqual({ lastNumber: 1, lastRegression: 0, regressed: [] });
      const issue = (await only()).id;
      await store().change({
        project: 1,
        issues: [issue],
        change: { kind: "resolve", in: "now" },
        by: "kim",
        at: noon + 1,
      });
      await file([anEvent({ release: "1.5.0", at: noon + 120_000 })]);
      const news = await store().issueNews(1, 0, 10);
      expect(news).toEqual({
        lastNumber: 1,
        lastRegression: news.regressed[0]?.change,
        regressed: [{ change: expect.any(Number), issue, at: noon + 120_000 }],
      });
      expect((await store().issueNews(1, news.lastRegression, 10)).regressed).toEqual([]);
      expect(await store().issueNews(2, 0, 10)).toEqual({ lastNumber: 0, lastRegression: 0, regressed: [] });
    });

    it("an issue muted until a time is open again after it", async () => {
      await file([anEvent()]);
      await store().change({
        project: 1,
        issues: [(await only()).id],
        change: { kind: "mute", until: { kind: "time", at: noon + 1_000 } },
        by: "kim",
        at: noon,
      });
      expect(await titles("is:muted")).toEqual(["boom"]);
      await store().wake(noon + 1_000);
      expect(await titles("is:open")).toEqual(["boom"]);
    });

    it("is found by the version of a longer release name, and by the whole name", async () => {
      await file([
        anEvent({ text: "a", release: "shop@1.4.2" }),
        anEvent({ text: "b", release: "@scope/shop@1.40.0+7" }),
        anEvent({ text: "c", release: "shop1.4@2.0.0", tags: [["plan", "gold"]] }),
      ]);
      expect(await titles("release:1.4*")).toEqual(["a", "b"]);
      expect(await titles("release:1.4.2")).toEqual(["a"]);
      expect(await titles("release:shop@1.4*")).toEqual(["a"]);
      expect(await titles("first-release:1.4* -release:1.40*")).toEqual(["a"]);
      expect([await store().hasTag(1, "plan"), await store().hasTag(2, "plan")]).toEqual([true, false]);
    });

    it("is assigned and commented", async () => {
      await file([anEvent()]);
      await store().change({
        project: 1,
        issues: [(await only()).id],
        change: { kind: "assign", to: "ada" },
        by: "kim",
        at: noon,
      });
      await store().change({
        project: 1,
        issues: [(await only()).id],
        change: { kind: "comment", text: "seen it" },
        by: "ada",
        at: noon + 1,
      });
      expect((await only()).assignee).toBe("ada");
      expect(await titles("assigned:ada")).toEqual(["boom"]);
      expect(await titles("assigned:none")).toEqual([]);
      expect((await store().history(1, (await only()).id)).at(-1)).toEqual({
        at: noon + 1,
        by: "ada",
        what: { kind: "comment", text: "seen it" },
      });
    });

    it("keeps the address of its ticket, which can be undone", async () => {
      await file([anEvent()]);
      const ticket = "https://tickets.example/7";
      const { id } = await only();
      const change = (wish: IssueChange, at: number) =>
        store().change({ project: 1, issues: [id], change: wish, by: "kim", at });
      await change({ kind: "ticket", address: ticket }, noon);
      expect((await only()).ticket).toBe(ticket);
      await change({ kind: "ticket", address: undefined }, noon + 1);
      expect((await only()).ticket).toBeUndefined();
      expect(await change({ kind: "undo" }, noon + 2)).toEqual([id]);
      expect((await only()).ticket).toBe(ticket);
    });

    it("cannot be changed from another project", async () => {
      await file([anEvent()]);
      expect(
        await store().change({
          project: 2,
          issues: [(await only()).id],
          change: { kind: "resolve", in: "now" },
          by: "eve",
          at: noon,
        }),
      ).toEqual([]);
      expect((await only()).state.kind).toBe("open");
    });

    it("is titled by its newest event, in any order of arrival, and each event by its own text", async () => {
      const said = (text: string, at: number) => {
        const { grouping } = anEvent({ text: "all alike" });
        return anEvent({ text, at, grouping, title: { type: `${text}Error`, text, culprit: text }, level: "info" });
      };
      await file([said("second", noon + 2), said("first", noon + 1), said("third", noon + 3)], 1);
      await file([said("late", noon)]);
      expect(await only()).toMatchObject({
        type: "thirdError",
        title: "third",
        culprit: "third",
        events: 4,
        level: "info",
      });
      expect(await titles("late")).toEqual(["third"]);
      const lines = (await store().recent({ project: 1, limit: 10 })).map(
        (record) => record.kind === "event" && record.title,
      );
      expect(lines).toEqual(["Error: second", "Error: first", "Error: third", "Error: late"]);
    });

    it("is merged, receives events, and is split again with all events in their place", async () => {
      await file([
        anEvent({ text: "a", visitor: visitor(1) }),
        anEvent({ text: "b", visitor: visitor(1), at: noon - 500 }),
      ]);
      const [a = 0, b = 0] = await idsOf("a", "b");
      await store().change({ project: 1, issues: [b], change: { kind: "merge", into: a }, by: "kim", at: noon });
      await file([anEvent({ text: "b", visitor: visitor(2), at: noon + 500 })]);
      expect(await only()).toMatchObject({
        id: a,
        events: 3,
        visitors: 2,
        firstSeen: noon - 500,
        lastSeen: noon + 500,
      });
      expect(await only()).toMatchObject({
        title: "a",
        lastEventId: (await store().eventsOf(1, a, { limit: 1 }))[0]?.eventId,
      });
      expect(await store().eventsOf(1, a, { limit: 10 })).toHaveLength(3);
      expect(await store().groupsOf(1, a)).toHaveLength(2);
      expect((await store().issue(1, { id: b }))?.mergedInto).toBe(a);
      await store().change({ project: 1, issues: [a], change: { kind: "split" }, by: "kim", at: noon });
      expect(await store().issue(1, { id: a })).toMatchObject({
        events: 1,
        visitors: 1,
        firstSeen: noon,
        lastSeen: noon,
      });
      expect(await store().eventsOf(1, a, { limit: 10 })).toMatchObject([
        { eventId: (await store().issue(1, { id: a }))?.lastEventId },
      ]);
      expect(await store().issue(1, { id: b })).toMatchObject({
        events: 2,
        visitors: 2,
        firstSeen: noon - 500,
        lastSeen: noon + 500,
        mergedInto: undefined,
      });
      expect(await titles()).toEqual(["a", "b"]);
    });

    it("knows the comments on other issues that name it, until they are undone", async () => {
      await file(["a", "b", "c", "d"].map((text, n) => anEvent({ text, at: noon + n })));
      const [a = 0, b = 0, c = 0, d = 0] = await idsOf("a", "b", "c", "d");
      const change = (issue: number, what: IssueChange, by: string, at: number) =>
        store().change({ project: 1, issues: [issue], change: what, by, at });
      const numberOf = async (id: number) => (await store().issue(1, { id }))?.number ?? 0;
      const numbers = await Promise.all([a, b, c, d].map(numberOf));
      await change(d, { kind: "merge", into: c }, "kim", noon + 1);
      await change(b, { kind: "assign", to: "ada" }, "joe", noon + 2);
      const text = `see ${numbers.map((number) => `#${number}`).join(", ")} and #4000`;
      expect(await change(a, { kind: "comment", text }, "kim", noon + 3)).toEqual([a]);
      const newest = async (id: number) => (await store().history(1, id)).at(-1);
      const mention = { at: noon + 3, by: "kim", what: { kind: "mentioned", issue: a } };
      expect(await newest(a)).toMatchObject({
        what: { kind: "comment", text, mentions: numbers.toSorted((one, other) => one - other) },
      });
      expect([await newest(b), await newest(c)], "the merged one leads to the one that has it").toEqual([
        mention,
        mention,
      ]);
      // A mention is no change of the issue, so that the change before it can still be undone.
      expect(await change(b, { kind: "undo" }, "joe", noon + 4)).toEqual([b]);
      expect((await store().issue(1, { id: b }))?.assignee).toBeUndefined();
      expect(await change(a, { kind: "undo" }, "kim", noon + 5)).toEqual([a]);
      for (const id of [a, b, c]) {
        const kinds = (await store().history(1, id)).map(({ what }) => what.kind);
        expect(kinds.filter((kind) => kind === "comment" || kind === "mentioned")).toEqual([]);
      }
    });

    it("is not named by comments of another project", async () => {
      await file([anEvent({ text: "a" }), anEvent({ text: "theirs", project: 2 })]);
      const { id, number } = await only();
      const [theirs] = (await store().issues({ project: 2, filter: everyIssue, sort: "events", limit: 1 })).issues;
      await store().change({
        project: 2,
        issues: [theirs?.id ?? 0],
        change: { kind: "comment", text: `#${number}` },
        by: "kim",
        at: noon,
      });
      expect(await store().history(1, id)).toEqual([]);
    });

    it("is restored when its last change is undone: state, assignment, comment", async () => {
      await file([anEvent()]);
      const { id } = await only();
      const undo = () =>
        store().change({ project: 1, issues: [id], change: { kind: "undo" }, by: "kim", at: noon + 9 });
      await store().change({ project: 1, issues: [id], change: { kind: "assign", to: "ada" }, by: "kim", at: noon });
      await store().change({
        project: 1,
        issues: [id],
        change: { kind: "assign", to: "joe" },
        by: "kim",
        at: noon + 1,
      });
      expect(await undo()).toEqual([id]);
      expect((await only()).assignee).toBe("ada");
      await store().change({
        project: 1,
        issues: [id],
        change: { kind: "mute", until: { kind: "events", more: 5 } },
        by: "kim",
        at: noon + 2,
      });
      expect(await undo()).toEqual([id]);
      expect((await only()).state).toEqual({ kind: "open" });
      await store().change({
        project: 1,
        issues: [id],
        change: { kind: "comment", text: "wrong place" },
        by: "kim",
        at: noon + 3,
      });
      await undo();
      expect((await store().history(1, id)).some(({ what }) => what.kind === "comment")).toBe(false);
      expect(await undo(), "what was undone").toEqual([]);
    });

    it("does not undo a change of another person, or one that events have overtaken", async () => {
      await file([anEvent({ at: noon })]);
      const { id } = await only();
      await store().change({ project: 1, issues: [id], change: { kind: "resolve", in: "now" }, by: "kim", at: noon });
      expect(await store().change({ project: 1, issues: [id], change: { kind: "undo" }, by: "eve", at: noon })).toEqual(
        [],
      );
      await file([anEvent({ at: noon + 5 })]);
      expect((await only()).state.kind).toBe("regressed");
      expect(
        await store().change({ project: 1, issues: [id], change: { kind: "undo" }, by: "kim", at: noon + 6 }),
      ).toEqual([]);
      expect((await only()).state.kind).toBe("regressed");
    });

    it("is restored when a merge is undone, with the issues merged into it before; and likewise for a split", async () => {
      await file([anEvent({ text: "a" }), anEvent({ text: "b" }), anEvent({ text: "c" })]);
      const [a = 0, b = 0, c = 0] = await idsOf("a", "b", "c");
      await store().change({ project: 1, issues: [b], change: { kind: "resolve", in: "now" }, by: "kim", at: noon });
      await store().change({ project: 1, issues: [c], change: { kind: "merge", into: b }, by: "kim", at: noon + 1 });
      await store().change({ project: 1, issues: [b], change: { kind: "merge", into: a }, by: "kim", at: noon + 2 });
      expect(await only()).toMatchObject({ id: a, events: 3 });
      expect(
        await store().change({ project: 1, issues: [a], change: { kind: "undo" }, by: "kim", at: noon + 3 }),
      ).toEqual([a]);
      expect(await store().issue(1, { id: a })).toMatchObject({ events: 1 });
      expect(await store().issue(1, { id: b })).toMatchObject({
        events: 2,
        mergedInto: undefined,
        state: { kind: "resolved" },
      });
      expect((await store().issue(1, { id: c }))?.mergedInto).toBe(b);
      await store().change({ project: 1, issues: [b], change: { kind: "split" }, by: "kim", at: noon + 4 });
      expect(await store().issue(1, { id: c })).toMatchObject({ events: 1, mergedInto: undefined });
      await store().change({ project: 1, issues: [b], change: { kind: "undo" }, by: "kim", at: noon + 5 });
      expect(await store().issue(1, { id: b })).toMatchObject({ events: 2 });
      expect((await store().issue(1, { id: c }))?.mergedInto).toBe(b);
    });
  });
}

function describeEvent({ store, file }: StoreFixture): void {
  describe("an event and its neighbours", () => {
    it("events are found by the beginnings of their ids, in every week, with group and visitor", async () => {
      const [old, recent, other] = [
        anEvent({ at: noon - 21 * 86_400_000, visitor: 17 }),
        anEvent(),
        anEvent({ project: 2 }),
      ];
      await file([old, recent, other]);
      const startOf = ({ eventId }: { eventId: string }) => eventId.slice(0, 15);
      const { issue = 0 } = (await store().event(1, recent.eventId)) ?? {};
      const found = await store().filedEvents(1, [old, other, recent, { eventId: "0".repeat(32) }].map(startOf));
      expect(found.toSorted((a, b) => a.start.localeCompare(b.start))).toEqual(
        [
          { start: startOf(old), group: issue, visitor: 17 },
          { start: startOf(recent), group: issue, visitor: undefined },
        ].sort((a, b) => a.start.localeCompare(b.start)),
      );
    });

    it("an event and its neighbours are in the order in which they happened, across weeks", async () => {
      const events = [3, 1, 2].map((week) => anEvent({ at: noon + week * 7 * 86_400_000 }));
      const others = Array.from({ length: 20 }, (_, week) =>
        anEvent({ text: "other", at: noon - week * 7 * 86_400_000 }),
      );
      await file([...others, ...events]);
      const [third, first, second] = events.map(({ eventId }) => eventId);
      const record = await store().event(1, second ?? "");
      if (record === undefined) throw new Error("The event was filed.");
      expect(await store().neighbours(record)).toEqual({ older: first, newer: third, oldest: first, newest: third });
      const pageOne = await store().eventsOf(1, record.issue, { limit: 2 });
      const last = pageOne.at(-1);
      const pageTwo = await store().eventsOf(1, record.issue, {
        limit: 2,
        ...(last ? { before: { at: last.at, rowId: last.rowId } } : {}),
      });
      expect([...pageOne, ...pageTwo].map(({ eventId }) => eventId)).toEqual([third, second, first]);
    });
  });
}

function describeTraces({ store, file }: StoreFixture): void {
  describe("traces", () => {
    it("a trace is assembled from several envelopes in any order, each span once", async () => {
      const error = anEvent({ traceId: hex("trace") });
      const child = spans({ spanIds: ["child"], segment: false });
      const root = spans({ spanIds: ["root"] });
      await file([child, error, root, root]);
      const trace = await store().trace(1, hex("trace"));
      expect(trace.spans.map(({ name }) => name).sort()).toEqual(["child", "root"]);
      expect(trace.segments).toHaveLength(1);
      expect(trace.events.map(({ eventId }) => eventId)).toEqual([error.eventId]);
      expect((await store().trace(2, hex("trace"))).spans).toEqual([]);
      const spansOf = await store().spansOf(1, [hex("absent"), hex("trace")]);
      expect(spansOf).toEqual(new Map([[hex("trace"), trace.spans]]));
      expect(await store().spansOf(2, [hex("trace")])).toEqual(new Map());
      expect([await store().hasTrace(1, hex("trace")), await store().hasTrace(2, hex("trace"))]).toEqual([true, false]);
    });

    it("count a second delivery of the same spans once in the measures", async () => {
      const root = spans({ spanIds: ["root"], durationMs: 250 });
      await file([root, root]);
      const [measured] = await store().measures({ project: 1, step: "hour", from: noon - 1, to: noon + 1 });
      expect(quantileOf(measured?.sketches.get("pageload") ?? new Map(), 0.5)).toBeCloseTo(250, -1);
      const once = new Map();
      addToSketch(once, 250);
      expect(measured?.sketches.get("pageload")).toEqual(once);
      expect(await store().measures({ project: 1, step: "day", from: noon, to: noon })).toHaveLength(1);
      expect(
        await store().segments({ project: 1, route: "/", from: noon - 1, to: noon + 1, minMs: 200, limit: 5 }),
      ).toHaveLength(1);
      expect(
        await store().segments({ project: 1, route: "/", from: noon - 1, to: noon + 1, minMs: 300, limit: 5 }),
      ).toHaveLength(0);
    });
  });
}

function describeRoutes({ store, file }: StoreFixture): void {
  describe("a route", () => {
    it("has its measures and counters by hours and days, without those of other routes", async () => {
      const hour = 3_600_000;
      const metrics = (route: string, at: number, value: number): FiledItem => ({
        kind: "metrics",
        rowId: 0,
        project: 1,
        receivedAt: at,
        measures: [{ route, measure: "lcp", at, value, release: undefined }],
        counts: [
          { name: "one", route, label: "a", at, n: value },
          { name: "two", route, label: "b", at, n: value },
        ],
      });
      await file([metrics("/", noon, 1), metrics("/", noon - hour, 2), metrics("/other", noon, 3)]);
      const query = { project: 1, route: "/", from: noon - 2 * hour, to: noon, counters: ["one", "unknown"] };
      const hours = await store().routeSteps({ ...query, step: "hour" });
      expect(hours.measures.map(({ at, sketches }) => [at, [...sketches.keys()]])).toEqual([
        [noon - hour, ["lcp"]],
        [noon, ["lcp"]],
      ]);
      expect(hours.counts).toEqual([
        { name: "one", label: "a", at: noon - hour, n: 2 },
        { name: "one", label: "a", at: noon, n: 1 },
      ]);
      const days = await store().routeSteps({ ...query, step: "day" });
      expect(days.counts).toEqual([{ name: "one", label: "a", at: noon - 12 * hour, n: 3 }]);
      expect(await store().routeSteps({ ...query, route: "/never", step: "day" })).toEqual({
        measures: [],
        counts: [],
      });
    });
  });
}

function describeMeasuresBothWays({ store, file }: StoreFixture): void {
  describe("measures", () => {
    it("measures are summed by route and, those that are asked for, by hour and day", async () => {
      const hour = 3_600_000;
      const measured = (route: string, at: number, values: Readonly<Record<string, number>>): FiledItem => ({
        kind: "metrics",
        rowId: 0,
        project: 1,
        receivedAt: at,
        measures: Object.entries(values).map(([measure, value]) => ({ route, measure, at, value, release: undefined })),
        counts: [],
      });
      await file([
        measured("/", noon, { lcp: 10, request: 2_000, "my.own": 70 }),
        measured("/", noon - hour, { lcp: 20 }),
        measured("/other", noon, { request: 3_000, lcp: 30 }),
        measured("/old", noon - 50 * hour, { lcp: 40 }),
      ]);
      const sum = (values: readonly number[]): SketchSet => {
        const sketch = new Map<number, number>();
        for (const value of values) addToSketch(sketch, value);
        return new Map([["lcp", sketch]]);
      };
      const query = { project: 1, from: noon - 2 * hour, to: noon };
      const hours = await store().measuresBothWays({ ...query, step: "hour", ofSteps: ["lcp"] });
      expect(hours.byRoute).toEqual(await store().measuresByRoute({ ...query, step: "hour" }));
      expect([...hours.byRoute.keys()].sort()).toEqual(["/", "/other"]);
      expect(hours.byStep).toEqual(
        new Map([
          [noon - hour, sum([20])],
          [noon, sum([10, 30])],
        ]),
      );
      const days = await store().measuresBothWays({ ...query, step: "day", ofSteps: ["lcp"] });
      expect(days.byStep).toEqual(new Map([[noon - 12 * hour, sum([10, 20, 30])]]));
      const own = await store().measuresBothWays({ ...query, step: "hour", ofSteps: ["my.own", "never"] });
      expect([...(own.byStep.get(noon)?.keys() ?? [])]).toEqual(["my.own"]);
    });
  });
}

function describeReleaseIssues({ store, file }: StoreFixture): void {
  describe("issues of a release", () => {
    it("issues are counted by their events in it, in their project only", async () => {
      await file([
        anEvent({ text: "rare", release: "2.0.0" }),
        anEvent({ text: "often", release: "2.0.0" }),
        anEvent({ text: "often", release: "2.0.0" }),
        anEvent({ text: "often", release: "1.0.0" }),
        anEvent({ text: "theirs", release: "2.0.0", project: 2 }),
      ]);
      const titles = async (release: string, limit = 9) => {
        const found = await store().releaseIssues(1, release, limit);
        return Promise.all(
          found.map(async ({ issue, events }) => [(await store().issue(1, { id: issue }))?.title, events]),
        );
      };
      const both = [
        ["often", 2],
        ["rare", 1],
      ];
      expect(await titles("2.0.0")).toEqual(both);
      expect(await titles("2.0.0", 1)).toEqual(both.slice(0, 1));
      expect(await titles("1.0.0")).toEqual([["often", 1]]);
      expect(await titles("3.0.0")).toEqual([]);
    });
  });
}

function describeProjects({ store, file }: StoreFixture): void {
  describe("projects", () => {
    it("see nothing of each other's issues, not even by their internal ids", async () => {
      await file([anEvent({ text: "theirs", project: 2, tags: [["plan", "gold"]], release: "9.9.9" })]);
      const [theirs] = (await store().issues({ project: 2, filter: everyIssue, sort: "events", limit: 1 })).issues;
      if (theirs === undefined) throw new Error("Project 2 has an issue.");
      await store().change({
        project: 2,
        issues: [theirs.id],
        change: { kind: "comment", text: "secret" },
        by: "eve",
        at: noon,
      });
      const seenFrom = async (project: number) => [
        (await store().issue(project, { id: theirs.id })) !== undefined,
        (await store().history(project, theirs.id)).length,
        (await store().groupsOf(project, theirs.id)).length,
        (await store().series({ project, issues: [theirs.id], step: "hour", from: noon, to: noon })).get(theirs.id)
          ?.length,
        (await store().tagsOf(project, theirs.id)).length,
        (await store().releasesOf(project, theirs.id)).length,
        (await store().eventsOf(project, theirs.id, { limit: 9 })).length,
        (await store().event(project, theirs.lastEventId)) !== undefined,
        (
          await store().change({
            project,
            issues: [theirs.id],
            change: { kind: "comment", text: "mine" },
            by: "mallory",
            at: noon,
          })
        ).length,
      ];
      expect(await seenFrom(1)).toEqual([false, 0, 0, 0, 0, 0, 0, false, 0]);
      expect(await seenFrom(2)).toEqual([true, 1, 1, 1, 1, 1, 1, true, 1]);
    });
  });
}

function describeSessions({ store, file }: StoreFixture): void {
  describe("sessions", () => {
    it("count each fact once, however many updates report it", async () => {
      await file([
        aSession({ sessionId: "s1", ended: "well" }),
        aSession({ sessionId: "s1", ended: "with-errors" }),
        aSession({ sessionId: "s1", ended: "crashed" }),
        aSession({ sessionId: "s1", ended: "crashed" }),
        aSession({ sessionId: "s2", ended: "well" }),
      ]);
      expect(await store().sessions(1, noon, noon)).toEqual([
        { at: noon, release: "1.0.0", environment: undefined, started: 2, errored: 1, crashed: 1, abnormal: 0 },
      ]);
    });
  });
}

function describeTraffic({ store, file }: StoreFixture): void {
  describe("traffic", () => {
    const minute = 60_000;
    const at = (step: "quarter" | "hour" | "day", to = noon) =>
      store().traffic({ project: 1, step, from: noon - 864e5, to });

    it("errors, error pages and visits are counted by quarters of an hour, and summed up to hours and days", async () => {
      await file([
        anEvent({ at: noon - minute, tags: [["saw", "error-page"]] }),
        anEvent({ at: noon }),
        anEvent({ at: noon + 15 * minute - 1 }),
        anEvent({ at: noon + 15 * minute, project: 2 }),
        aSession({ sessionId: "s1", startedAt: noon + minute }),
        aSession({ sessionId: "s1", startedAt: noon + minute, ended: "with-errors" }),
        aSession({ sessionId: "s1", startedAt: noon + minute, ended: "crashed" }),
        aSession({ sessionId: "s2", startedAt: noon + 16 * minute }),
        {
          kind: "session-counts",
          rowId: 0,
          project: 1,
          receivedAt: noon,
          startedAt: noon + 16 * minute,
          release: undefined,
          environment: undefined,
          started: 5,
          errored: 2,
          crashed: 1,
          abnormal: 0,
        },
      ]);
      const none = { errors: 0, errorPages: 0, visits: 0, failedVisits: 0 };
      const before = { ...none, at: noon - 15 * minute, errors: 1, errorPages: 1 };
      const first = { ...none, at: noon, errors: 2, visits: 1, failedVisits: 1 };
      expect(await at("quarter")).toEqual([before, first]);
      const later = { ...none, at: noon + 15 * minute, visits: 6, failedVisits: 2 };
      expect(await at("quarter", noon + 15 * minute)).toEqual([before, first, later]);
      expect(await at("hour", noon + 59 * minute)).toEqual([
        { ...before, at: noon - 60 * minute },
        { ...none, at: noon, errors: 2, visits: 7, failedVisits: 3 },
      ]);
      const day = { at: noon - 12 * 60 * minute, errors: 3, errorPages: 1, visits: 7, failedVisits: 3 };
      expect(await at("day", noon + 59 * minute)).toEqual([day]);
    });

    it("old quarters are deleted", async () => {
      await file([anEvent({ at: noon - 20 * minute }), anEvent({ at: noon })]);
      await store().dropTrafficBefore({ quarters: noon, visitors: 0 });
      expect(await at("quarter")).toMatchObject([{ at: noon, errors: 1 }]);
    });

    it("visitors with an error are counted once in each hour, and in several hours together", async () => {
      const seen = (n: number, time: number, project = 1) => anEvent({ at: time, visitor: visitor(n), project });
      await file([seen(1, noon), seen(1, noon + minute), seen(2, noon + minute), anEvent({ at: noon })]);
      await file([seen(2, noon + 2 * minute), seen(3, noon + 2 * minute), seen(9, noon, 2)]);
      await file([seen(3, noon + 61 * minute), seen(4, noon + 61 * minute)]);
      const hours = await store().affected(1, noon, noon + 61 * minute);
      expect(hours.map((hour) => [hour.at, countVisitors(hour.visitors)])).toEqual([
        [noon, 3],
        [noon + 60 * minute, 2],
      ]);
      const together = emptyVisitorSketch();
      for (const hour of hours) mergeVisitors(together, hour.visitors);
      expect(countVisitors(together)).toBe(4);
      await store().dropTrafficBefore({ quarters: 0, visitors: noon + 60 * minute });
      expect(await store().affected(1, 0, noon + 61 * minute)).toHaveLength(1);
    });
  });
}

function describeLogs({ store, file }: StoreFixture): void {
  const second = 1_000;
  const block = (project: number, at: number, lines: readonly Partial<LogLine>[]): FiledItem => ({
    kind: "logs",
    rowId: 0,
    project,
    receivedAt: noon,
    lines: lines.map((line, index) => ({ at: at + index, level: "info", body: "", attributes: {}, ...line })),
  });
  const ask = (project: number, filter: string, more: Partial<LogQuery> = {}) =>
    store().logs({
      project,
      from: noon - 3_600 * second,
      to: noon,
      filter: readFilter(filter),
      limit: 7,
      mostLines: 1_000,
      ...more,
    });

  describe("logs", () => {
    it("pages list each line once and in order, although blocks overlap in time", async () => {
      const starts = Array.from({ length: 40 }, (_, n) => noon - 600 * second + n * second);
      await file(
        starts.map((start, n) =>
          block(
            21,
            start,
            Array.from({ length: 5 }, (__, index) => ({ at: start + index * 900, body: `line ${n} ${index}` })),
          ),
        ),
      );
      const listed: { at: number; body: string }[] = [];
      for (let after: LogCursor | undefined, pages = 0; pages < 100; pages++) {
        const page = await ask(21, "", { after });
        listed.push(...page.lines);
        after = page.next;
        if (after === undefined) break;
      }
      expect(new Set(listed.map(({ body }) => body)).size).toBe(200);
      expect(listed).toHaveLength(200);
      expect(listed.map(({ at }) => at)).toEqual(listed.map(({ at }) => at).toSorted((a, b) => b - a));
    });

    it("a query opens a bounded number of lines, says how far it came, and continues from there", async () => {
      const blocks = Array.from({ length: 30 }, (_, n) =>
        block(
          22,
          noon - (n + 1) * 60 * second,
          Array.from({ length: 10 }, () => ({ body: n === 29 ? "needle" : "hay" })),
        ),
      );
      await file(blocks);
      const first = await ask(22, "needle", { mostLines: 50 });
      expect(first.lines).toEqual([]);
      // Five blocks of ten lines were opened.
      expect(first.searchedFrom).toBe(noon - 6 * 60 * second + 9);
      let page = first;
      for (let asked = 0; asked < 10 && page.next !== undefined && page.lines.length === 0; asked++)
        page = await ask(22, "needle", { mostLines: 50, after: page.next });
      expect(page.lines).toHaveLength(7);
    });

    it("lines are found by level, attribute, environment, release and trace, and counted by level", async () => {
      const attributes = { "sentry.environment": "staging", "sentry.release": "shop@1.4", "order.id": 42 };
      await file([
        block(23, noon - 9 * second, [
          { level: "warn", body: "slow", attributes, traceId: hex("log trace") },
          { level: "error", body: "lost", attributes: { "sentry.environment": "production" } },
        ]),
      ]);
      const bodies = async (filter: string) => (await ask(23, filter)).lines.map(({ body }) => body);
      expect(await bodies("level:warning")).toEqual(["slow"]);
      expect(await bodies("-level:warn")).toEqual(["lost"]);
      expect(await bodies("order.id:42")).toEqual(["slow"]);
      expect(await bodies("env:prod*")).toEqual(["lost"]);
      expect(await bodies("release:shop@*")).toEqual(["slow"]);
      expect(await bodies(`trace:${hex("log trace")} slow`)).toEqual(["slow"]);
      const { counts } = await ask(23, "", { countEveryMs: 60 * second });
      expect(counts.map(({ level, n }) => [level, n]).toSorted()).toEqual([
        ["error", 1],
        ["warn", 1],
      ]);
      const hours = {
        project: 23,
        step: "hour",
        from: noon - 3_600 * second,
        to: noon,
        name: "holdfast.logs",
      } as const;
      expect((await store().counts(hours)).map(({ label, n }) => [label, n]).toSorted()).toEqual([
        ["error production", 1],
        ["warn staging", 1],
      ]);
    });
  });
}

function describeOtherItems({ store, file }: StoreFixture): void {
  describe("logs, counters, feedback, check-ins, discards, attachments", () => {
    it("logs, counters, feedback, check-ins, discards and attachments are stored and found again", async () => {
      const event = anEvent();
      const place = { rowId: 0, project: 1, receivedAt: noon };
      await file([
        event,
        {
          ...place,
          kind: "logs",
          lines: [
            { at: noon, level: "info", body: "Order saved", traceId: hex("trace"), attributes: {} },
            { at: noon + 1, level: "error", body: "Order lost", attributes: {} },
          ],
        },
        {
          ...place,
          kind: "metrics",
          measures: [],
          counts: [{ name: "holdfast.navigation", route: "/", label: "committed", at: noon, n: 3 }],
        },
        {
          ...place,
          kind: "feedback",
          at: noon,
          eventId: event.eventId,
          name: "Jo",
          email: undefined,
          url: undefined,
          message: "it broke",
          ownId: undefined,
          facts: {},
        },
        {
          ...place,
          kind: "check-in",
          at: noon,
          monitor: "nightly",
          checkInId: undefined,
          status: "ok",
          durationMs: 12,
          environment: undefined,
          plan: { schedule: { kind: "interval", everyMs: 60_000 }, marginMs: 5 },
        },
        {
          ...place,
          kind: "check-in",
          at: noon,
          monitor: "nightly",
          checkInId: undefined,
          status: "ok",
          durationMs: 13,
          environment: undefined,
          plan: undefined,
        },
        {
          ...place,
          kind: "discards",
          discards: [{ reason: "sample_rate", category: "transaction", at: noon, n: 7 }],
        },
        {
          ...place,
          kind: "attachment",
          eventId: event.eventId,
          eventRow: undefined,
          filename: "a.txt",
          contentType: "text/plain",
          bytes: Buffer.from("hello"),
        },
      ]);
      const linesFor = async (filter: string) => {
        const query = { project: 1, from: noon, to: noon + 9, filter: readFilter(filter), limit: 9, mostLines: 99 };
        return (await store().logs(query)).lines.map(({ body }) => body);
      };
      expect(await linesFor("order")).toEqual(["Order lost", "Order saved"]);
      expect(await linesFor("level:error")).toEqual(["Order lost"]);
      expect(await linesFor(`trace:${hex("trace")}`)).toEqual(["Order saved"]);
      expect((await store().trace(1, hex("trace"))).logs).toHaveLength(1);
      expect(
        await store().counts({ project: 1, step: "hour", from: noon, to: noon, name: "holdfast.navigation" }),
      ).toEqual([{ name: "holdfast.navigation", route: "/", label: "committed", at: noon, n: 3 }]);
      expect(await store().feedback(1, { eventIds: [event.eventId] })).toMatchObject([
        { message: "it broke", name: "Jo" },
      ]);
      expect(await store().monitors(1)).toMatchObject([
        {
          name: "nightly",
          lastStatus: "ok",
          lastDurationMs: 13,
          ok: 2,
          failed: 0,
          plan: { schedule: { kind: "interval", everyMs: 60_000 }, marginMs: 5 },
        },
      ]);
      expect(await store().discards(1, noon, noon)).toEqual([
        { at: noon, reason: "sample_rate", category: "transaction", n: 7 },
      ]);
      const [attached] = await store().attachmentsOf(1, event.eventId);
      expect(attached).toMatchObject({ filename: "a.txt", contentType: "text/plain", size: 5 });
      const whole = await store().attachment(1, event.eventId, attached?.id ?? 0);
      expect(Buffer.from(whole?.bytes ?? []).toString()).toBe("hello");
      expect((await store().recent({ project: 1, limit: 10 })).map(({ kind }) => kind)).toEqual([
        "event",
        "log",
        "log",
      ]);
    });
  });
}

function describeMonitors({ store, file, reopen }: StoreFixture): void {
  const checkIn = (given: Partial<FiledCheckIn>): FiledCheckIn => ({
    kind: "check-in",
    rowId: 0,
    project: 1,
    receivedAt: noon,
    at: noon,
    monitor: "nightly",
    checkInId: undefined,
    status: "ok",
    durationMs: undefined,
    environment: "production",
    plan: undefined,
    ...given,
  });
  const nightly = { project: 1, name: "nightly", environment: "production" };

  describe("scheduled tasks", () => {
    it("check-ins of one run become one, in any order, and the others runs of their own", async () => {
      await file([
        checkIn({ status: "in_progress", checkInId: hex("a") }),
        checkIn({ status: "in_progress", checkInId: hex("b"), at: noon + 60 }),
        checkIn({ status: "error", checkInId: hex("a"), at: noon + 100 }),
        checkIn({ status: "ok", checkInId: hex("b"), at: noon + 200, durationMs: 140 }),
        checkIn({ status: "ok", checkInId: hex("b"), at: noon + 201 }),
        checkIn({ status: "ok", checkInId: hex("c"), at: noon + 400, durationMs: 10 }),
        checkIn({ status: "in_progress", checkInId: hex("c"), at: noon + 385 }),
        checkIn({ status: "in_progress", at: noon + 500 }),
      ]);
      expect(await store().monitors(1)).toEqual([
        {
          ...nightly,
          lastStatus: "in_progress",
          lastAt: noon + 500,
          lastDurationMs: undefined,
          plan: undefined,
          ok: 2,
          failed: 1,
          firstAt: noon,
          isMuted: false,
          watch: undefined,
          runs: [
            { id: hex("a"), status: "error", startedAt: noon, endedAt: noon + 100, durationMs: 100, serial: 1 },
            { id: hex("b"), status: "ok", startedAt: noon + 60, endedAt: noon + 200, durationMs: 140, serial: 2 },
            { id: hex("c"), status: "ok", startedAt: noon + 385, endedAt: noon + 400, durationMs: 10, serial: 3 },
            { status: "in_progress", startedAt: noon + 500 },
          ],
        },
      ]);
    });

    it("each environment and each project has its own, with a bounded number of runs", async () => {
      await file([
        checkIn({ environment: undefined }),
        checkIn({ environment: "staging" }),
        checkIn({ project: 2, environment: "staging" }),
        ...Array.from({ length: 100 }, (_, n) => checkIn({ at: noon + n })),
      ]);
      const all = await store().monitors(undefined);
      expect(all.map(({ project, environment, runs }) => [project, environment, runs.length])).toEqual([
        [1, undefined, 1],
        [1, "production", 60],
        [1, "staging", 1],
        [2, "staging", 1],
      ]);
      expect(all[1]?.runs.at(-1)).toMatchObject({ startedAt: noon + 99, serial: 100 });
    });

    it("a schedule stays with its thresholds, and a newer one replaces it", async () => {
      const schedule = { kind: "crontab", expression: "0 3 * * *", timeZone: "Europe/Berlin" } as const;
      const plan = { schedule, marginMs: 60_000, maxRuntimeMs: 1, failureThreshold: 2, recoveryThreshold: 3 };
      await file([checkIn({ plan }), checkIn({ at: noon + 1 })]);
      expect((await store().monitors(1))[0]?.plan).toEqual(plan);
      await file([checkIn({ plan: { schedule } })]);
      expect((await store().monitors(1))[0]?.plan).toEqual({ schedule });
    });

    it("what people and the evaluation say about a task stays with its next check-ins, until it is deleted", async () => {
      await file([checkIn({})]);
      await store().changeMonitor({ ...nightly, kind: "mute", isMuted: true });
      await store().changeMonitor({ ...nightly, kind: "watched", watch: "{}" });
      await store().changeMonitor({ ...nightly, environment: undefined, kind: "delete" });
      await file([checkIn({ at: noon + 1 })]);
      await reopen();
      expect(await store().monitors(1)).toMatchObject([{ isMuted: true, watch: "{}", firstAt: noon, ok: 2 }]);
      await store().changeMonitor({ ...nightly, kind: "delete" });
      await store().changeMonitor({ ...nightly, kind: "watched", watch: "{}" });
      expect(await store().monitors(1)).toEqual([]);
      await file([checkIn({ at: noon + 2 })]);
      expect(await store().monitors(1)).toMatchObject([{ isMuted: false, watch: undefined, firstAt: noon + 2, ok: 1 }]);
    });

    it("the time of the last evaluation is the last that was written", async () => {
      expect(await store().watchedAt()).toBeUndefined();
      await store().setWatchedAt(noon + 1);
      await store().setWatchedAt(noon);
      await reopen();
      expect(await store().watchedAt()).toBe(noon);
    });
  });
}

function describeFeedback({ store, file }: StoreFixture): void {
  describe("feedback", () => {
    const note = (n: number, given: Partial<FiledFeedback> = {}): FiledFeedback => ({
      kind: "feedback",
      rowId: 0,
      project: 1,
      receivedAt: noon,
      at: noon + n,
      eventId: undefined,
      name: undefined,
      email: "jo@shop.test",
      url: "https://shop.test/cart",
      message: `note ${n}`,
      ownId: hex(`note ${n}`),
      facts: { route: "/cart", steps: [{ at: noon, kind: "page", text: "opened /" }] },
      ...given,
    });
    const listed = async (archived = false, before?: FeedbackQuery["before"]): Promise<readonly FeedbackRecord[]> =>
      store().feedbackList({ project: 1, archived, limit: 2, before });
    const messages = (records: readonly FeedbackRecord[]): string[] => records.map(({ message }) => message);

    it("feedback is listed page by page, newest first, with all that is known", async () => {
      await file([note(1), note(2), note(3, { at: noon + 2 }), note(4, { project: 2 })]);
      const first = await listed();
      expect(messages(first)).toEqual(["note 3", "note 2"]);
      const last = first.at(-1);
      const rest = await listed(false, last && { at: last.at, id: last.id });
      expect(messages(rest)).toEqual(["note 1"]);
      expect(rest[0]).toMatchObject({
        at: noon + 1,
        ownId: hex("note 1"),
        eventId: undefined,
        archivedAt: undefined,
        facts: { route: "/cart", steps: [{ at: noon, kind: "page", text: "opened /" }] },
      });
    });

    it("feedback with a known id of its own is a second delivery", async () => {
      await file([note(1), note(1, { message: "again" })]);
      await file([note(1, { message: "again" }), note(1, { project: 2, message: "elsewhere" })]);
      expect(messages(await listed())).toEqual(["note 1"]);
      expect(messages(await store().feedback(2, { ownId: hex("note 1").slice(0, 15) }))).toEqual(["elsewhere"]);
    });

    it("feedback is found by the e-mail address of its author, in any case, and by several events", async () => {
      const [one, other] = [anEvent(), anEvent({ text: "other", otherId: hex("payload") })];
      await file([
        one,
        other,
        note(1, { eventId: one.eventId, email: "max@shop.test" }),
        note(2, { eventId: hex("payload"), email: undefined }),
        note(3),
        note(4, { project: 2 }),
      ]);
      expect(messages(await store().feedback(1, { email: "Jo@Shop.test" }))).toEqual(["note 3"]);
      const both = await store().feedback(1, { eventIds: [one.eventId, other.eventId] });
      expect(messages(both)).toEqual(["note 2", "note 1"]);
      expect(await store().feedback(1, { eventIds: [] })).toEqual([]);
    });

    it("feedback is archived and opened again, in its project only", async () => {
      await file([note(1), note(2)]);
      const [newest] = await listed();
      const ids = [newest?.id ?? 0];
      expect(await store().changeFeedback({ project: 2, ids, archived: true, at: noon })).toEqual([]);
      expect(await store().changeFeedback({ project: 1, ids, archived: true, at: noon })).toEqual(ids);
      expect(await store().changeFeedback({ project: 1, ids, archived: true, at: noon })).toEqual([]);
      expect(messages(await listed())).toEqual(["note 1"]);
      expect(await listed(true)).toMatchObject([{ message: "note 2", archivedAt: noon }]);
      expect(await store().changeFeedback({ project: 1, ids, archived: false, at: noon })).toEqual(ids);
      expect(messages(await listed())).toEqual(["note 2", "note 1"]);
    });
  });
}

function describeAttachments({ store, file }: StoreFixture): void {
  describe("attachments", () => {
    const attached = (eventId: string, given: Partial<FiledAttachment> = {}): FiledAttachment => ({
      kind: "attachment",
      rowId: 0,
      project: 1,
      receivedAt: noon,
      eventId,
      eventRow: undefined,
      filename: "a.bin",
      contentType: undefined,
      bytes: Buffer.from("hello"),
      ...given,
    });
    const namesOf = async (project: number, eventId: string): Promise<string[]> =>
      (await store().attachmentsOf(project, eventId)).map(({ filename }) => filename);

    it("attachments are filed once, however often their event is delivered", async () => {
      const event = anEvent();
      const delivery = (rowId: number): FiledItem[] => [
        { ...event, rowId },
        attached(event.eventId, { rowId: rowId + 1, eventRow: rowId }),
      ];
      const commit = async (upTo: number, items: FiledItem[]): Promise<void> => {
        await store().commit({ upTo, items });
        await store().settled();
      };
      await commit(1_000, delivery(0));
      await commit(3_000, [...delivery(1_000), ...delivery(2_000)]);
      expect(await namesOf(1, event.eventId)).toEqual(["a.bin"]);
      // In an envelope of its own, it is a further file.
      await commit(4_000, [attached(event.eventId, { rowId: 3_000, filename: "later.bin" })]);
      expect(await namesOf(1, event.eventId)).toEqual(["a.bin", "later.bin"]);
    });

    it("attachments are found by project, event and id, whole up to some megabytes, and deleted with their events", async () => {
      const event = anEvent();
      const bytes = Buffer.alloc(4 * 1024 ** 2, "0123456789abcdefg");
      await file([event, attached(event.eventId, { bytes })]);
      const [found] = await store().attachmentsOf(1, event.eventId);
      expect(found).toMatchObject({ size: bytes.length });
      const id = found?.id ?? 0;
      const whole = await store().attachment(1, event.eventId, id);
      expect(Buffer.from(whole?.bytes ?? []).equals(bytes)).toBe(true);
      expect(await store().attachment(2, event.eventId, id)).toBeUndefined();
      expect(await store().attachment(1, hex("another"), id)).toBeUndefined();
      expect(await store().attachment(1, event.eventId, id + 1)).toBeUndefined();
      for (const { name } of await store().partitions()) await store().dropPartition(name, "age");
      expect(await namesOf(1, event.eventId)).toEqual([]);
      expect(await store().attachment(1, event.eventId, id)).toBeUndefined();
    });

    it("attachments are at most 200 in a list", async () => {
      const event = anEvent();
      await file(Array.from({ length: 201 }, () => attached(event.eventId)));
      expect(await namesOf(1, event.eventId)).toHaveLength(200);
    });
  });
}

function describeTrail({ store, file, only }: StoreFixture): void {
  describe("a visitor's trail", () => {
    it("lists the records of one visitor only", async () => {
      await file([
        spans({ spanIds: ["root"], visitor: visitor(1) }),
        anEvent({ visitor: visitor(1), at: noon + 10 }),
        anEvent({ visitor: visitor(2), at: noon + 20 }),
      ]);
      expect(
        (await store().trail({ project: 1, visitor: visitor(1), from: noon - 1, to: noon + 99 })).map(
          ({ kind }) => kind,
        ),
      ).toEqual(["segment", "event"]);
    });

    it("is that of one visit if the visitor is unknown; a visit is not counted as a visitor", async () => {
      const session = visitor(7);
      await file([
        spans({ spanIds: ["anonymous"], session }),
        anEvent({ session, at: noon + 10 }),
        anEvent({ session, visitor: visitor(1), at: noon + 20 }),
      ]);
      expect(
        (await store().trail({ project: 1, visitor: session, from: noon - 1, to: noon + 99 })).map(({ kind }) => kind),
      ).toEqual(["segment", "event"]);
      expect((await only()).visitors).toBe(1);
    });

    it("begins with recent visitors: their page, their number of views, and their errors", async () => {
      const late = anEvent({ visitor: visitor(1), at: noon + 10, route: "/cart", release: "1.1.0" });
      await file([
        spans({ spanIds: ["view"], visitor: visitor(1) }),
        late,
        anEvent({ visitor: visitor(2), at: noon + 20, level: "info" }),
        anEvent({ at: noon + 30 }),
      ]);
      expect(await store().recentVisitors(1, 100)).toEqual([
        expect.objectContaining({
          visitor: visitor(2),
          views: 0,
          errors: 0,
          last: { at: noon + 20, kind: "event", level: "info" },
        }),
        {
          visitor: visitor(1),
          views: 1,
          errors: 1,
          route: "/cart",
          release: "1.1.0",
          last: { at: noon + 10, kind: "event", level: "error" },
          lastEventId: late.eventId,
        },
      ]);
      expect(await store().recentVisitors(2, 100)).toEqual([]);
    });
  });
}

function describeVisitors({ store, file, only }: StoreFixture): void {
  describe("a visitor", () => {
    const week = 7 * 86_400_000;
    const historyOf = (who: number, before?: number, limit = 10) =>
      store().visitorHistory({ project: 1, visitor: who, before, limit });

    it("is found by any identity, also if only page views are stored, and only in the own project", async () => {
      await file([
        anEvent({ visitor: visitor(1), aliases: [visitor(11)] }),
        anEvent({ visitor: visitor(2), aliases: [visitor(11)], at: noon + week }),
        spans({ spanIds: ["seen"], visitor: visitor(3) }),
      ]);
      expect(await store().visitorsKnownAs(1, visitor(1))).toEqual([visitor(1)]);
      expect([...(await store().visitorsKnownAs(1, visitor(11)))].sort()).toEqual([visitor(1), visitor(2)].sort());
      expect(await store().visitorsKnownAs(1, visitor(3))).toEqual([visitor(3)]);
      expect(await store().visitorsKnownAs(1, visitor(4))).toEqual([]);
      expect(await store().visitorsKnownAs(2, visitor(1))).toEqual([]);
    });

    it("has a history of all weeks, with what each event says, in pages that divide no moment", async () => {
      const [first, second, third] = [noon - week, noon, noon + 10].map((at) => anEvent({ visitor: visitor(1), at }));
      const last = { ...spans({ spanIds: ["view"], visitor: visitor(1) }) };
      await file([...[first, second, third].flatMap((event) => event ?? []), last, anEvent({ visitor: visitor(2) })]);
      const newest = await historyOf(visitor(1), undefined, 2);
      expect(newest.events).toMatchObject([
        { eventId: third?.eventId, body: { kind: "whole", event: { exceptions: [{ value: "boom" }] } } },
        { eventId: second?.eventId },
      ]);
      // The view began in the same moment as the second event.
      expect(newest.segments).toMatchObject([{ at: noon, kind: "pageload" }]);
      expect(newest).toMatchObject({ firstAt: noon - week, hasMore: true });
      const earlier = await historyOf(visitor(1), noon, 2);
      expect(earlier.events.map(({ eventId }) => eventId)).toEqual([first?.eventId]);
      expect(earlier).toMatchObject({ segments: [], hasMore: false });
      expect(await historyOf(visitor(9))).toEqual({ events: [], segments: [], firstAt: undefined, hasMore: false });
    });

    it("has its newest events, a few of each of several visitors", async () => {
      const at = [noon - 3 * week, noon, noon + 1, noon + 2];
      const often = at.map((each) => anEvent({ visitor: visitor(1), at: each }));
      const once = anEvent({ visitor: visitor(2), at: noon - 2 * week });
      await file([...often, once, anEvent({ visitor: visitor(3) }), spans({ spanIds: ["seen"], visitor: visitor(4) })]);
      const newestOf = async (project: number) => {
        const found = await store().newestEventsOf(project, [1, 2, 4].map(visitor), 2);
        return found.map(({ eventId, body }) => [eventId, body.kind]).sort();
      };
      const expected = [often[2], often[3], once].map((event) => [event?.eventId, "whole"]);
      expect(await newestOf(1)).toEqual(expected.sort());
      expect(await newestOf(2)).toEqual([]);
    });

    it("has the events of servers in its traces, but not those of other visitors in them", async () => {
      const view = spans({ spanIds: ["traced"], session: visitor(7) });
      const ofServer = anEvent({ traceId: view.traceId, at: noon + 5 });
      await file([view, ofServer, anEvent({ traceId: view.traceId, visitor: visitor(8), at: noon + 6 })]);
      expect((await historyOf(visitor(7))).events.map(({ eventId }) => eventId)).toEqual([ofServer.eventId]);
    });

    it("is listed with an issue: events, first and last time, release of the last event", async () => {
      const late = anEvent({ visitor: visitor(1), at: noon + week, release: "2.0.0" });
      await file([
        anEvent({ visitor: visitor(1), at: noon }),
        anEvent({ session: visitor(7), at: noon + 1 }),
        anEvent({ at: noon + 2 }),
        late,
      ]);
      const { id } = await only();
      const visitorsOf = (query: Partial<IssueVisitorsQuery> = {}) =>
        store().issueVisitors({ project: 1, issue: id, among: 100, sort: "last", from: 0, limit: 10, ...query });
      const [first, second] = [
        {
          visitor: visitor(1),
          events: 2,
          firstAt: noon,
          lastAt: noon + week,
          lastEventId: late.eventId,
          release: "2.0.0",
        },
        { visitor: visitor(7), events: 1, firstAt: noon + 1, lastAt: noon + 1, release: "1.0.0" },
      ];
      expect(await visitorsOf()).toMatchObject({ visitors: [first, second], total: 2 });
      expect(await visitorsOf({ from: 1 })).toMatchObject({ visitors: [second], total: 2 });
      expect(await visitorsOf({ sort: "first", limit: 1 })).toMatchObject({ visitors: [first], total: 2 });
      expect(await visitorsOf({ among: 1 })).toMatchObject({
        visitors: [{ visitor: visitor(1), events: 1 }],
        total: 1,
      });
      expect(await visitorsOf({ project: 2 })).toEqual({ visitors: [], total: 0 });
      expect((await store().eventsById(1, [late.eventId, hex("absent")])).map(({ eventId }) => eventId)).toEqual([
        late.eventId,
      ]);
      expect(await store().eventsById(2, [late.eventId])).toEqual([]);
    });
  });
}

function describeRelease({ store, file, listed, titles, reopen }: StoreFixture): void {
  describe("a release", () => {
    const chunk = (name: string, mapped: boolean) => ({ debugId: hex(name), file: `/_assets/${name}.js`, mapped });

    it("lists the built files in its stacks, and which of them have no map now", async () => {
      const last = anEvent({ release: "1.0.0", chunks: [chunk("cart", false)] });
      await store().addSourceMap({ project: 1, debugId: hex("shop"), release: "1.0.0", map: '{"version":3}' });
      await store().addSourceMap({ project: 2, debugId: hex("cart"), release: "1.0.0", map: '{"version":3}' });
      await file([
        anEvent({ release: "1.0.0", chunks: [chunk("shop", true), chunk("cart", false)] }),
        last,
        anEvent({ release: "2.0.0", chunks: [{ debugId: undefined, file: "/bundle.js", mapped: false }] }),
        anEvent({ release: "3.0.0" }),
      ]);
      expect(await store().releaseChunks(1, "1.0.0")).toMatchObject([
        { ...chunk("cart", false), mapped: 0, unmapped: 2, hasMap: false, lastEventId: last.eventId },
        { ...chunk("shop", true), mapped: 1, unmapped: 0, hasMap: true },
      ]);
      expect(await store().releaseChunks(1, "2.0.0")).toMatchObject([
        { debugId: undefined, file: "/bundle.js", hasMap: false },
      ]);
      expect(await store().releaseChunks(2, "1.0.0")).toEqual([]);
      expect([...(await store().chunkCounts(1))].sort()).toEqual([
        ["1.0.0", { chunks: 2, withoutMap: 1 }],
        ["2.0.0", { chunks: 1, withoutMap: 1 }],
      ]);
      await store().addSourceMap({ project: 1, debugId: hex("cart"), release: "1.0.0", map: '{"version":3}' });
      expect((await store().chunkCounts(1)).get("1.0.0")).toEqual({ chunks: 2, withoutMap: 0 });
    });

    it("stores no more built files than an application has, however many clients invent", async () => {
      for (let n = 0; n < 6; n++)
        await file(Array.from({ length: 100 }, (_, m) => anEvent({ chunks: [chunk(`made up ${n} ${m}`, false)] })));
      expect((await store().chunkCounts(1)).get("1.0.0")?.chunks).toBe(500);
    });

    it("has the commits of its build", async () => {
      const commits = [{ hash: "a".repeat(40), author: "Jo", at: noon, subject: "cart: totals" }];
      expect(await store().commits(1, "1.0.0")).toEqual([]);
      await store().addCommits(1, "1.0.0", [{ hash: "b".repeat(40), author: "Al", at: noon, subject: "before" }]);
      await store().addCommits(1, "1.0.0", commits);
      expect(await store().commits(1, "1.0.0")).toEqual(commits);
      expect(await store().commits(2, "1.0.0")).toEqual([]);
      await reopen();
      expect(await store().commits(1, "1.0.0")).toEqual(commits);
    });

    it("leads to the issues resolved in it, by name or as the next one, and to those that regressed in it", async () => {
      await file([
        anEvent({ text: "by name", release: "1.0.0", at: noon }),
        anEvent({ text: "in the next", release: "1.0.0", at: noon }),
        anEvent({ text: "now", release: "1.0.0", at: noon }),
        anEvent({ text: "comes back", release: "1.0.0", at: noon }),
      ]);
      const resolve = async (title: string, how: Extract<IssueChange, { kind: "resolve" }>) => {
        const ids = (await listed()).flatMap((issue) => (issue.title === title ? [issue.id] : []));
        await store().change({ project: 1, issues: ids, change: how, by: "jo", at: noon + 1 });
      };
      await resolve("by name", { kind: "resolve", in: "release", release: "2.0.0" });
      await resolve("in the next", { kind: "resolve", in: "next-release" });
      await resolve("now", { kind: "resolve", in: "now" });
      await resolve("comes back", { kind: "resolve", in: "next-release" });
      await file([
        anEvent({ text: "other", release: "2.0.0", at: noon + 1_000 }),
        anEvent({ text: "comes back", release: "2.0.0", at: noon + 2_000 }),
        anEvent({ text: "other", release: "3.0.0", at: noon + 3_000 }),
      ]);
      expect(await titles("resolved-in:2.0.0")).toEqual(["by name", "in the next"]);
      expect(await titles("resolved-in:3.0.0")).toEqual([]);
      expect(await titles("is:resolved -resolved-in:2.0.0")).toEqual(["now"]);
      expect(await titles("regressed-in:2.0.0")).toEqual(["comes back"]);
      expect(await store().releaseNames(1)).toEqual(["3.0.0", "2.0.0", "1.0.0"]);
      expect(await store().releases(1)).toMatchObject([
        { name: "3.0.0", regressedIssues: 0, resolvedIn: 0, resolvedAfter: 0 },
        { name: "2.0.0", regressedIssues: 1, resolvedIn: 1, resolvedAfter: 0 },
        { name: "1.0.0", regressedIssues: 0, resolvedIn: 0, resolvedAfter: 1 },
      ]);
    });
  });
}

function describeSourceMaps({ store }: StoreFixture): void {
  describe("source maps", () => {
    it("belong to a project", async () => {
      await store().addSourceMap({ project: 1, debugId: hex("chunk"), release: "1.0.0", map: '{"version":3}' });
      await store().fetchSourceMaps([1, 2].map((project) => ({ project, debugId: hex("chunk") })));
      expect(store().sourceMap(1, hex("chunk"))).toEqual({ kind: "found", map: '{"version":3}' });
      expect(store().sourceMap(2, hex("chunk"))).toEqual({ kind: "absent" });
    });

    it("maps that a new build still uses are renewed with it, and stay when the builds before it are deleted", async () => {
      const add = (name: string, release: string, addedAt: number) =>
        store().addSourceMap({
          project: 1,
          debugId: hex(name),
          release,
          map: `{"version":3,"file":"${name}"}`,
          addedAt,
        });
      await add("vendor", "build 0", noon);
      for (let n = 0; n < 4; n++) await add(`own ${n}`, `build ${n}`, noon + n);
      const debugIds = [hex("vendor"), hex("own 3"), hex("unknown")];
      const renew = (project: number) =>
        store().renewSourceMaps({ project, release: "build 3", debugIds, addedAt: noon + 3 });
      expect([...(await renew(1))].sort()).toEqual([hex("vendor"), hex("own 3")].sort());
      expect([...(await renew(2))]).toEqual([]);
      await store().dropSourceMapsBefore(noon + 10);
      const names = ["vendor", "own 0", "own 3"].map((name) => ({ project: 1, debugId: hex(name) }));
      await store().fetchSourceMaps(names);
      const kinds = names.map(({ project, debugId }) => store().sourceMap(project, debugId).kind);
      expect(kinds).toEqual(["found", "absent", "found"]);
    });
  });
}

function describeUpkeep({ store, file, only }: StoreFixture): void {
  describe("upkeep", () => {
    it("deletes a week at once and keeps the counters", async () => {
      await file([anEvent({ at: noon }), anEvent({ at: noon + 14 * 86_400_000 })]);
      const oldest = (await store().partitions()).at(-1);
      expect(await store().partitions()).toHaveLength(2);
      await store().dropPartition(oldest?.name ?? "", "age");
      expect(await store().partitions()).toHaveLength(1);
      expect(await store().eventsOf(1, (await only()).id, { limit: 9 })).toHaveLength(1);
      expect((await only()).events).toBe(2);
    });

    it("finds nothing wrong with itself", async () => {
      await file([anEvent({ text: "a" }), anEvent({ text: "b", at: noon + 7 * 86_400_000 }), spans({})]);
      expect(await store().check()).toEqual([]);
    });

    it("gives its only writer a lease, and renews it", async () => {
      expect(await store().lease("upkeep", 60_000)).toBe(true);
      expect(await store().lease("upkeep", 60_000)).toBe(true);
      expect(await store().lease("another", 60_000)).toBe(true);
    });

    it("is well while nothing has failed", async () => {
      await file([anEvent()]);
      expect(store().health()).toEqual({ kind: "well", problems: noProblems });
    });
  });
}

function describeBackup({ store, file, open, folder }: StoreFixture): void {
  describe("a backup", () => {
    it("writes a backup that opens as a store with the same content, and finds nothing wrong with either", async () => {
      await file([anEvent({ text: "a" }), anEvent({ text: "b", at: noon + 7 * 86_400_000 }), spans({})]);
      const copy = join(folder(), "backup");
      await store().backup(copy);
      expect(await store().check()).toEqual([]);
      const restored = await open(copy);
      expect(await picture(restored)).toEqual(await picture(store()));
      expect(await restored.check()).toEqual([]);
      restored.close();
    });
  });
}

/** Everything that a lost or duplicated item would change. */
async function picture(store: Store): Promise<unknown> {
  await store.settled();
  const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "first-seen", limit: 100 });
  return {
    issues,
    events: await Promise.all(issues.map(({ id }) => store.eventsOf(1, id, { limit: 100 }))),
    hours: [
      ...(await store.series({
        project: 1,
        issues: issues.map(({ id }) => id),
        step: "hour",
        from: noon - 864e5,
        to: noon + 864e6,
      })),
    ],
    sessions: await store.sessions(1, noon - 864e5, noon + 864e6),
    traffic: await store.traffic({ project: 1, step: "quarter", from: noon - 864e5, to: noon + 864e6 }),
    measures: await store.measures({ project: 1, step: "hour", from: noon - 864e5, to: noon + 864e6 }),
    releases: await store.releases(1),
    applied: await store.appliedUpTo(),
  };
}

function visitor(n: number): number {
  return Number.parseInt(hex(`visitor-${n}`).slice(0, 13), 16);
}

function aSession(fields: Partial<FiledSession>): FiledSession {
  return {
    kind: "session",
    rowId: 0,
    project: 1,
    receivedAt: noon,
    sessionId: "s1",
    startedAt: noon,
    ended: "well",
    release: "1.0.0",
    environment: undefined,
    ...fields,
  };
}

function spans(fields: {
  spanIds?: readonly string[];
  segment?: boolean;
  durationMs?: number;
  visitor?: number;
  session?: number;
}): FiledSpans {
  const { spanIds = ["root"], segment = true, durationMs = 100 } = fields;
  const traceId = hex("trace");
  return {
    kind: "spans",
    rowId: 0,
    project: 1,
    receivedAt: noon,
    traceId,
    key: Number.parseInt(hex(spanIds.join()).slice(0, 12), 16),
    at: noon,
    body: jsonOfSpans(
      spanIds.map((name) => ({
        traceId,
        spanId: hex(name).slice(0, 16),
        name,
        startMs: noon,
        endMs: noon + durationMs,
        isSegment: segment,
        status: "ok",
        attributes: {},
        links: [],
      })),
    ),
    segments: segment
      ? [
          {
            spanId: hex(spanIds[0] ?? "").slice(0, 16),
            route: "/",
            op: "pageload",
            at: noon,
            durationMs,
            status: "ok",
            release: "1.0.0",
            environment: undefined,
            visitor: fields.visitor,
            session: fields.session,
          },
        ]
      : [],
    counts: [],
    measures: segment ? [{ route: "/", measure: "pageload", at: noon, value: durationMs, release: "1.0.0" }] : [],
  };
}

/** The same order on every run. */
function shuffled<T>(items: readonly T[]): T[] {
  let state = 7;
  const keyed = items.map((item) => {
    state = (state * 48_271) % 2_147_483_647;
    return { item, key: state };
  });
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

function describeErasure({ store, file, listed, titles }: StoreFixture): void {
  const email = "ada@example.org";
  const ada = visitorHash("ada");
  const matching = (match: Partial<ErasureMatch>): ErasureMatch => ({ ...matchesNothing, ...match });
  const adas: ErasureMatch = matching({ visitors: [ada], mentions: [mentionHash(email)] });
  /** Removes what was foreseen. */
  const erase = async (match: ErasureMatch, project = 1) => {
    const foreseen = await foreseeErasure({ store: store() }, project, match);
    const deps = { store: store(), erase: (step: ErasureStep) => store().erase(step), now: () => noon + 3_600_000 };
    const removed = await runErasure(deps, project, match);
    expect(removed).toEqual(foreseen);
    return removed;
  };

  /** An event with a user and a tag, as filing makes it. */
  const reportedBy = (name: string, fields: Parameters<typeof anEvent>[0] = {}) => {
    const event = anEvent({ visitor: visitorHash(name), ...fields });
    const body = JSON.parse(Buffer.from(event.body.bytes).toString());
    const whole = { ...body, user: { id: name, email: `${name}@example.org` }, tags: { customer: `shop of ${name}` } };
    const tags: [string, string][] = [...event.tags.map(([key, value]): [string, string] => [key, value])];
    return {
      ...event,
      aliases: [visitorHash(`${name}@example.org`)],
      tags: [...tags, ["customer", `shop of ${name}`] as [string, string]],
      body: { form: "filed" as const, bytes: Buffer.from(JSON.stringify(whole)) },
    };
  };
  const healthy = async (): Promise<void> => expect(await store().check()).toEqual([]);

  describe("erasure", () => {
    it("deletes the events of a visitor, and leaves those of others in the same blocks readable", async () => {
      const mine = [reportedBy("ada"), reportedBy("ada", { at: noon + 1 })];
      const others = [1, 2, 3].map((n) => reportedBy("bob", { at: noon + n }));
      await file([...mine, ...others]);
      const plan = await planErasure({ store: store() }, 1, adas);
      expect(plan.counts).toMatchObject({ events: 2, issues: 0 });
      expect(await erase(adas)).toMatchObject({ events: 2, issues: 0 });
      for (const { eventId } of mine) expect(await store().event(1, eventId)).toBeUndefined();
      for (const { eventId } of others)
        expect(await store().event(1, eventId)).toMatchObject({
          body: { kind: "whole", event: { user: { id: "bob" } } },
        });
      expect(await listed()).toMatchObject([{ events: 3, visitors: 1, lastEventId: others[2]?.eventId }]);
      const tags = await store().tagsOf(1, (await listed())[0]?.id ?? 0);
      expect(tags.flatMap(({ value }) => value ?? [])).toContain("shop of bob");
      expect(tags.flatMap(({ value }) => value ?? [])).not.toContain("shop of ada");
      expect(await store().visitorsKnownAs(1, visitorHash(email))).toEqual([]);
      await file([reportedBy("bob", { at: noon + 9 })]);
      await healthy();
    });

    it("deletes an issue of which no event remains, and never uses its number again", async () => {
      await file([reportedBy("bob", { text: "stays" }), reportedBy("ada", { text: "ada only" })]);
      expect(await erase(adas)).toMatchObject({ events: 1, issues: 1 });
      expect(await titles()).toEqual(["stays"]);
      expect(await titles("only")).toEqual([]);
      await file([anEvent({ text: "later" })]);
      expect((await listed()).map(({ number }) => number).sort()).toEqual([1, 3]);
      await healthy();
    });

    it("shows the title and text of a remaining event", async () => {
      const grouping = anEvent({ text: "same" }).grouping;
      await file([
        reportedBy("bob", { text: "words of bob", grouping }),
        reportedBy("ada", { text: "words of ada", grouping, at: noon + 5 }),
      ]);
      expect(await titles()).toEqual(["words of ada"]);
      await erase(adas);
      expect(await titles()).toEqual(["words of bob"]);
      expect(await titles("ada")).toEqual([]);
      expect(await titles("bob")).toEqual(["words of bob"]);
      await healthy();
    });

    it("deletes what belongs to a visitor: traces, server errors in them, lines, files and feedback", async () => {
      const traceId = hex("trace of ada");
      const mine = reportedBy("ada", { traceId });
      const ofServer = anEvent({ text: "on the server", traceId });
      const span = { traceId, spanId: "a".repeat(16), name: "/", startMs: noon, endMs: noon + 9, attributes: {} };
      const row = { project: 1, rowId: 0, receivedAt: noon };
      const spans: FiledSpans = {
        ...row,
        kind: "spans",
        traceId,
        key: 1,
        at: noon,
        body: jsonOfSpans([span as never]),
        segments: [],
        measures: [],
        counts: [],
      };
      const line = { at: noon, level: "info" as const, attributes: {} };
      await file([
        mine,
        ofServer,
        spans,
        {
          ...row,
          kind: "attachment",
          eventId: mine.eventId,
          eventRow: undefined,
          filename: "ada.txt",
          contentType: undefined,
          bytes: Buffer.from("ada"),
        },
        {
          ...row,
          kind: "logs",
          lines: [
            { ...line, body: "in her trace", traceId },
            { ...line, body: `mail to\n${email} sent` },
            { ...line, body: "of ada", attributes: { "user.id": "ada" } },
            { ...line, body: "of nobody" },
          ],
        },
        {
          ...row,
          kind: "feedback",
          at: noon,
          eventId: undefined,
          name: "Ada",
          email,
          url: undefined,
          message: "It broke.",
          ownId: undefined,
          facts: {},
        },
        {
          ...row,
          kind: "feedback",
          at: noon,
          eventId: undefined,
          name: "Bob",
          email: "bob@example.org",
          url: undefined,
          message: "Too slow.",
          ownId: undefined,
          facts: {},
        },
      ]);
      expect(await erase(adas)).toMatchObject({
        events: 2,
        attachments: 1,
        traces: 1,
        logLines: 3,
        feedback: 1,
        issues: 2,
      });
      expect(await store().trace(1, traceId)).toMatchObject({ spans: [], segments: [], events: [], logs: [] });
      expect(
        (
          await store().logs({ project: 1, from: 0, to: noon * 2, filter: everyIssue, limit: 9, mostLines: 99 })
        ).lines.map(({ body }) => body),
      ).toEqual(["of nobody"]);
      expect((await store().feedback(1)).map(({ name }) => name)).toEqual(["Bob"]);
      await healthy();
    });

    it("finds events that mention an address, in any project's own only", async () => {
      const text = `no account for ${email.toUpperCase()}`;
      const [here, elsewhere] = [anEvent({ text }), anEvent({ text, project: 2 })];
      await file([here, elsewhere, anEvent({ text: `no account for b${email}` })]);
      expect(await erase(matching({ mentions: [mentionHash(email)] }))).toMatchObject({ events: 1 });
      expect(await store().event(1, here.eventId)).toBeUndefined();
      expect(await store().event(2, elsewhere.eventId)).toBeDefined();
    });

    it("deletes one event, an issue and a project", async () => {
      const [first, second] = [anEvent({ text: "one" }), anEvent({ text: "one" })];
      await file([first, second, anEvent({ text: "two" }), anEvent({ text: "three", project: 2 })]);
      expect(await erase(matching({ eventIds: [first.eventId] }))).toMatchObject({ events: 1, issues: 0 });
      expect(await store().event(1, second.eventId)).toMatchObject({ body: { kind: "whole" } });
      const two = (await listed()).find(({ title }) => title === "two");
      const groups = (await store().groupsOf(1, two?.id ?? 0)).map(({ id }) => id);
      expect(await erase(matching({ groups }))).toMatchObject({ events: 1, issues: 1 });
      expect(await titles()).toEqual(["one"]);
      await erase(matching({ all: true }));
      expect(await titles()).toEqual([]);
      expect(await store().releases(1)).toEqual([]);
      expect(await listed("", 2)).toHaveLength(1);
      await healthy();
    });

    it("remembers hashes, by which late items are dropped and later ones kept", async () => {
      await file([reportedBy("ada")]);
      await erase(adas);
      const marks = new ErasedMarks(await store().erasureMarks());
      expect(JSON.stringify(await store().erasureMarks())).not.toContain("ada");
      const late = reportedBy("ada", { at: noon + 1_000 });
      const later = reportedBy("ada", { at: noon + 7_200_000 });
      const kinds = marks.filter([late, later, anEvent()]).map(({ kind }) => kind);
      expect(kinds).toEqual(["discards", "event", "event"]);
    });

    it("finishes a group whose first event was erased, however many follow it", async () => {
      const others = Array.from({ length: 40 }, (_, n) => reportedBy("bob", { at: noon + n }));
      await file([reportedBy("ada"), ...others], 4);
      await erase(adas);
      const stored = await store().eventsById(
        1,
        others.map(({ eventId }) => eventId),
      );
      expect(stored.filter(({ body }) => body.kind === "whole")).toHaveLength(40);
      await healthy();
    });
  });
}
