import { expect, test } from "vitest";
import { isAffected } from "../../affected.ts";
import { LateReceiver } from "./late-promises.ts";
import { type PageAnswer, readDataAnswer } from "./page-answer.ts";
import { firstPage } from "./page-freshness.ts";
import { type KnownNow, knownPage, spareLoads } from "./shown-loads.ts";

const preamble = { build: "b", route: "/[team]", fresh: 30_000, expires: 300_000, tag: "ada" };
const routes = [{ id: "/[team]", folders: [0, 1] }];
const keys = [["root", "menu", "/a"], null, ["page", "notes", "/a"]];

function read(text: string) {
  return readDataAnswer(text, preamble, routes, new LateReceiver());
}

/** Requested at 1,000 ms, when the clock was 5. */
function aPage(fields: object = {}): PageAnswer {
  const line = { kind: "page", status: 200, params: {}, keys, data: [{ menu: 1 }, 2, ["~d", 3]], ...fields };
  const page = read(JSON.stringify(line)) as PageAnswer;
  return Object.assign(page, { sentAt: 1_000, asOf: 5 });
}

function pathOf(page: PageAnswer, now: Partial<KnownNow> = {}, changed = 5): string | undefined {
  const freshness = { ...firstPage, clock: 9, changed, asOf: 5 };
  return knownPage(page, { freshness, tag: "ada", now: 2_000, without: undefined, ...now })?.path;
}

test("a navigation names the layouts on screen, a refresh the page too, and a reload nothing", () => {
  expect(pathOf(aPage())).toBe("/_keys/root~");
  expect(pathOf(aPage(), { without: "unchanged" })).toBe("/_keys/root~~page");
  expect(pathOf(aPage(), { without: "nothing" })).toBeUndefined();
  const isOld = { ...firstPage, asOf: -1 };
  expect(pathOf(aPage(), { without: "unchanged", freshness: isOld })).toBeUndefined();
});

test("nothing is named for another visitor, after a change, or from 300 seconds on", () => {
  expect(pathOf(aPage(), { tag: "eve" })).toBeUndefined();
  expect(pathOf(aPage(), {}, 6)).toBeUndefined();
  expect(pathOf(aPage(), { now: 300_999 })).toBe("/_keys/root~");
  expect(pathOf(aPage(), { now: 301_000 })).toBeUndefined();
});

test("a change spares the loads that do not depend on it, unless they were stale before", () => {
  const page = aPage();
  spareLoads(page, { names: ["notes"], since: 5, clock: 6 }, isAffected);
  expect(pathOf(page, { without: "unchanged" }, 6)).toBe("/_keys/root~~");
  spareLoads(page, { names: ["other"], since: 6, clock: 7 }, isAffected);
  expect(pathOf(page, { without: "unchanged" }, 7)).toBe("/_keys/root~~");
  spareLoads(page, { names: ["/a"], since: 7, clock: 8 }, isAffected);
  expect(pathOf(page, { without: "unchanged" }, 8)).toBeUndefined();
});

test("what a response leaves out is put in place, with its age, and the page is complete by itself", () => {
  const before = aPage();
  const known = knownPage(before, { freshness: firstPage, tag: "ada", now: 2_000, without: "unchanged" });
  const line = { kind: "page", status: 200, params: {}, keys, same: [0, 2], data: [null, 4, null] };
  const after = known?.complete(JSON.stringify(line), read) as PageAnswer;
  expect(after.view.data).toEqual([{ menu: 1 }, 4, new Date(3)]);
  expect(after.view.data[0]).toBe(before.view.data[0]);
  expect(after.text).toBe(JSON.stringify({ ...line, same: undefined, data: [{ menu: 1 }, 4, ["~d", 3]] }));
  Object.assign(after, { sentAt: 200_000, asOf: 5 });
  expect(pathOf(after, { now: 300_999 })).toBe("/_keys/root~");
  expect(pathOf(after, { now: 301_000 })).toBeUndefined();
  // A server that leaves out what this page never had cannot be understood.
  const none = { ...line, same: [3], data: [1, 2, 3, null] };
  expect(known?.complete(JSON.stringify(none), read)).toBeUndefined();
});
