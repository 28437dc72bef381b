import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { digestOf, type ReportedEvent } from "#protocol";
import { dayMs, hourMs } from "../clock.ts";
import type { FiledEvent, FiledFeedback, FiledSpans } from "../stores/filed.ts";
import { anEvent, batchesOf, hex, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { jsonOfSpans } from "../stores/values/spans-json.ts";
import { aliasesOf, visitorHash, visitorOf } from "../stores/values/visitor-hash.ts";
import { find, search, visitorById, visitorsOfIssue } from "./index.ts";
import { visitorNamesOf } from "./visitor.ts";

const minuteMs = 60_000;
const paula = { id: "u-777", email: "paula@mail.test", name: "Paula Paying" };

it("a visitor has the name that the newest event says, also if many pages came after it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-visitor-"));
  const store = openSqliteStore({ folder });
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  const [eve, max] = [
    { id: "u-9", username: "eve" },
    { id: "u-1", username: "max" },
  ];
  const views = Array.from({ length: 5 }, (_, n) =>
    view({ at: noon + n * minuteMs, route: "/", name: `eve ${n}`, user: eve }),
  );
  const errors = [eve, max].map((user) => failure({ user, at: noon - minuteMs, text: "early" }));
  for (const batch of batchesOf([...errors, ...views], 5)) await store.commit(batch);
  const visitors = ["u-9", "u-1", "nobody"].map(visitorHash);
  const names = await visitorNamesOf({ store, now: noon + hourMs }, 1, visitors);
  expect(visitors.map((visitor) => names.get(visitor))).toEqual(["eve", "max", undefined]);
});

/** Two visits of Paula with a week between them, one of an anonymous visitor, and an error of Max. */
describe("a visitor", () => {
  const now = noon + hourMs;
  const failed = failure({ user: paula, at: noon + 2 * minuteMs, text: "no address", clicks: ["button.pay"] });
  const failedAgain = failure({ user: paula, at: noon + 3 * minuteMs, text: "no address", clicks: ["button.pay"] });
  const ofServer = failure({ at: noon + 1, text: "server broke", traceId: hex("anonymous /cart") });
  let folder: string;
  let store: Store;
  const context = () => ({ store, now });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-visitor-"));
    store = openSqliteStore({ folder });
    const items = [
      view({ at: noon - 7 * dayMs, route: "/", name: "first" }),
      view({ at: noon, route: "/cart", name: "cart" }),
      view({ at: noon + minuteMs, route: "/checkout", name: "checkout", kind: "navigation" }),
      view({ at: noon + 50, route: "/next", name: "prefetch", kind: "task" }),
      failed,
      failedAgain,
      // This report of the same person has no id.
      failure({ user: { email: paula.email }, at: noon + 4 * minuteMs, text: "mail refused" }),
      failure({ user: { id: "u-1", username: "max" }, at: noon, text: "no address" }),
      view({ at: noon, route: "/cart", name: "anonymous /cart", session: visitorHash("session 1") }),
      ofServer,
      note({ at: noon + 5 * minuteMs, eventId: failed.eventId, message: "I could not pay" }),
      note({ at: noon + 6 * minuteMs, email: paula.email, message: "still not" }),
      note({ at: noon + 7 * minuteMs, email: "writer@mail.test", eventId: failed.eventId, message: "for Paula" }),
    ];
    for (const batch of batchesOf(items, 5)) await store.commit(batch);
  });

  afterAll(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  it("is shown with visits, the newest first: pages, clicks, failures with digests, notes, releases, devices", async () => {
    const answer = await visitorById(context(), 1, visitorHash("u-777"));
    expect(answer).toMatchObject({ who: paula, firstAt: noon - 7 * dayMs, earlier: undefined });
    expect(answer?.visits).toHaveLength(2);
    const [newest, first] = answer?.visits ?? [];
    expect(newest).toMatchObject({
      from: noon,
      to: noon + 7 * minuteMs,
      releases: ["1.0.0"],
      devices: ["Safari 26 on iOS 26"],
      failures: 3,
      pages: [
        { route: "/cart", from: noon, to: noon + minuteMs, failures: [] },
        { route: "/checkout", to: noon + 7 * minuteMs, failures: [2, 3, 4].map((n) => noon + n * minuteMs) },
      ],
    });
    expect(newest?.steps.map(({ kind, text, digest }) => [kind, text, digest])).toEqual([
      ["page", "/cart", undefined],
      ["navigation", "/checkout", undefined],
      ["click", "click button.pay", undefined],
      ["error", "Error: no address", digestOf(failed.eventId)],
      ["error", "Error: no address", digestOf(failedAgain.eventId)],
      ["error", "Error: mail refused", expect.any(String)],
      ["feedback", "I could not pay", undefined],
      ["feedback", "still not", undefined],
      ["feedback", "for Paula", undefined],
    ]);
    expect(first).toMatchObject({ failures: 0, pages: [{ route: "/" }] });
    expect(answer?.issues).toMatchObject([
      { title: "Error: no address", times: 2 },
      { title: "Error: mail refused", times: 1 },
    ]);
  });

  it("without a name is one visit, with what failed on the server", async () => {
    const answer = await visitorById(context(), 1, visitorHash("session 1"));
    expect(answer?.who).toBeUndefined();
    expect(answer?.visits).toMatchObject([{ pages: [{ route: "/cart", failures: [noon + 1] }] }]);
    expect(answer?.visits[0]?.steps.at(-1)).toMatchObject({ digest: digestOf(ofServer.eventId), fails: true });
  });

  it("is unknown if it is not stored, or of another project", async () => {
    expect(await visitorById(context(), 1, 5)).toBeUndefined();
    expect(await visitorById(context(), 2, visitorHash("u-777"))).toBeUndefined();
  });

  it("is found by id, e-mail address in any case, user name and name, and by the address in a note", async () => {
    const found = { kind: "visitor", visitor: visitorHash("u-777") };
    for (const text of ["u-777", "paula@mail.test", "Paula@Mail.Test", " Paula Paying ", "writer@mail.test"])
      expect(await find(context(), 1, text), text).toEqual(found);
    expect(await find(context(), 1, "max")).toEqual({ kind: "visitor", visitor: visitorHash("u-1") });
    expect(await find(context(), 2, "u-777")).toEqual({ kind: "issues", filter: "u-777" });
    expect(await find(context(), 1, "nobody@mail.test")).toEqual({ kind: "issues", filter: "user:nobody@mail.test" });
  });

  it("is found by part of a name, beside releases and routes", async () => {
    expect((await search(context(), 1, "payi")).visitors).toMatchObject([
      { visitor: visitorHash("u-777"), name: paula.email, about: "Paula Paying, u-777" },
    ]);
    expect(await search(context(), 1, "1.0")).toMatchObject({ visitors: [], releases: ["1.0.0"] });
    expect((await search(context(), 1, "CHECK")).routes).toEqual(["/checkout"]);
    expect(await search(context(), 1, "p")).toEqual({ visitors: [], releases: [], routes: [] });
  });

  it("is listed with an issue: who, events, first, last, release, device", async () => {
    const [issue] = (await visitorById(context(), 1, visitorHash("u-777")))?.issues ?? [];
    const question = { project: 1, number: issue?.number ?? 0, sort: "last", page: 1 } as const;
    const answer = await visitorsOfIssue(context(), question);
    expect(answer).toMatchObject({ total: 2, hasNext: false, counted: 3 });
    expect(answer?.visitors).toMatchObject([
      { name: paula.email, events: 2, firstAt: failed.at, lastAt: failedAgain.at, device: "Safari 26 on iOS 26" },
      { name: "max", events: 1, release: "1.0.0" },
    ]);
    expect((await visitorsOfIssue(context(), { ...question, sort: "first" }))?.visitors[0]?.name).toBe("max");
    expect(await visitorsOfIssue(context(), { ...question, number: 99 })).toBeUndefined();
  });

  it("with more records than a page has earlier visits, and no visit is divided", async () => {
    const busy = { id: "busy" };
    const at = (visit: number, n: number) => noon - (5 - visit) * dayMs + n * minuteMs;
    const items = [1, 2, 3, 4].flatMap((visit) =>
      Array.from({ length: 60 }, (_, n) => failure({ user: busy, at: at(visit, n), text: "again" })),
    );
    for (const batch of batchesOf(items, 60, await store.appliedUpTo())) await store.commit(batch);
    const newest = await visitorById(context(), 1, visitorHash("busy"));
    expect(newest?.visits.map(({ failures }) => failures)).toEqual([60, 60, 60]);
    expect(newest?.earlier).toBe(at(2, 0));
    const earlier = await visitorById(context(), 1, visitorHash("busy"), newest?.earlier);
    expect(earlier?.visits.map(({ failures }) => failures)).toEqual([60]);
    expect(earlier?.earlier).toBeUndefined();
  });
});

const place = { rowId: 0, project: 1 };

interface Failing {
  user?: ReportedEvent["user"];
  at: number;
  text: string;
  clicks?: readonly string[];
  traceId?: string;
}

function failure({ user, at, text, clicks = [], traceId }: Failing): FiledEvent {
  const event: ReportedEvent = {
    level: "error",
    timestampMs: at,
    exceptions: [{ type: "Error", value: text, frames: [] }],
    ...(user && { user }),
    tags: {},
    breadcrumbs: clicks.map((message) => ({
      category: "ui.click",
      message,
      timestampMs: noon + 1.5 * minuteMs,
    })),
    contexts:
      user === paula ? { browser: { name: "Safari", version: "26.0" }, os: { name: "iOS", version: "26" } } : {},
    extra: {},
    modules: {},
    debugImages: [],
  };
  const body = { form: "filed" as const, bytes: Buffer.from(JSON.stringify(event)) };
  return anEvent({ at, text, traceId, visitor: visitorOf(user), aliases: aliasesOf(user), body });
}

interface View {
  at: number;
  route: string;
  name: string;
  kind?: "pageload" | "navigation" | "task";
  session?: number;
  user?: NonNullable<ReportedEvent["user"]>;
}

function view({ at, route, name, kind = "pageload", session, user = paula }: View): FiledSpans {
  const [traceId, spanId] = [hex(name), hex(name).slice(0, 16)];
  const facts = { release: "1.0.0", environment: undefined, session };
  return {
    kind: "spans",
    ...place,
    receivedAt: at,
    traceId,
    key: Number.parseInt(spanId.slice(0, 8), 16),
    at,
    body: jsonOfSpans([]),
    segments: [
      {
        ...facts,
        spanId,
        route,
        op: kind,
        at,
        durationMs: 100,
        status: "ok",
        visitor: session === undefined ? visitorOf(user) : undefined,
      },
    ],
    measures: [{ route, measure: kind, at, value: 100, release: "1.0.0" }],
    counts: [],
  };
}

function note(fields: Pick<FiledFeedback, "at" | "message"> & Partial<FiledFeedback>): FiledFeedback {
  const unsaid = { eventId: undefined, name: undefined, email: undefined, url: undefined, ownId: undefined };
  return { kind: "feedback", ...place, receivedAt: fields.at, facts: {}, ...unsaid, ...fields };
}
