import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { digestOf } from "#protocol";
import { anEvent, batchesOf, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { issueMeant, mergeTargets } from "./merge-targets.ts";

let folder: string;
let store: Store;
const events = ["cart is empty", "cart is full", "no price"].map((text, n) => anEvent({ text, at: noon + n }));
const context = () => ({ store, now: noon });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-merge-"));
  store = openSqliteStore({ folder });
  const items = [...events, anEvent({ text: "no price", at: noon + 9 }), anEvent({ text: "theirs", project: 2 })];
  for (const batch of batchesOf(items, 100, await store.appliedUpTo())) await store.commit(batch);
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

async function targets(numbers: readonly number[], typed: string): Promise<number[]> {
  const found = await mergeTargets(context(), { project: 1, numbers, typed });
  return found.targets.map(({ number }) => number);
}

it.each([
  ["2", 2],
  [" #2 ", 2],
  ["https://shop.test/_holdfast/1/issues/2?q=cart#top", 2],
  ["/_holdfast/1/issues/2/visitors", 2],
  ["https://shop.test/_holdfast/2/issues/2", undefined],
  ["#99", undefined],
  [digestOf(events[1]?.eventId ?? "").toLowerCase(), 2],
  [events[1]?.eventId ?? "", 2],
  ["cart", undefined],
  ["", undefined],
])("%j means the issue %j", async (typed, number) => {
  expect((await issueMeant(context(), 1, typed))?.number).toBe(number);
});

it("finds targets by number, digest and words, without the issue itself", async () => {
  expect(await targets([1], "#2")).toEqual([2]);
  expect(await targets([1], "#1")).toEqual([]);
  expect(await targets([1], "cart")).toEqual([2]);
  expect(await targets([3], "cart")).toEqual([2, 1]);
  expect(await targets([3], "theirs")).toEqual([]);
});

it("finds at most 12", async () => {
  const many = Array.from({ length: 15 }, (_, n) => anEvent({ text: `many of ${"abcdefghijklmno"[n]}`, at: noon + n }));
  for (const batch of batchesOf(many, 100, await store.appliedUpTo())) await store.commit(batch);
  expect(await targets([1], "many")).toHaveLength(12);
});

it("proposes the chosen ones, the most frequent first", async () => {
  expect(await targets([1, 2, 3, 99], "")).toEqual([3, 1, 2]);
});

it("follows an issue that is merged already", async () => {
  const idOf = async (number: number) => (await store.issue(1, { number }))?.id ?? -1;
  const change = { kind: "merge", into: await idOf(2) } as const;
  await store.change({ project: 1, issues: [await idOf(1)], change, by: "kim", at: noon });
  const { chosen } = await mergeTargets(context(), { project: 1, numbers: [1, 2], typed: "" });
  expect(chosen.map(({ number, issue }) => [number, issue.number])).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(await targets([1, 2], ""), "not itself, but the similar one").toEqual([3]);
});
