import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { anEvent, batchesOf, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import type { IssueChange } from "../stores/store-requests.ts";
import { issueByNumber } from "./issue.ts";
import { lastDays } from "./period.ts";

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-mentions-"));
  store = openSqliteStore({ folder });
  const items = Array.from({ length: 14 }, (_, n) => anEvent({ text: "abcdefghijklmn"[n] ?? "", at: noon + n }));
  for (const batch of batchesOf(items, 100, await store.appliedUpTo())) await store.commit(batch);
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

let at = noon;
async function change(number: number, what: IssueChange): Promise<void> {
  const issue = await store.issue(1, { number });
  await store.change({ project: 1, issues: [issue?.id ?? -1], change: what, by: "kim", at: ++at });
}

async function shown(number: number) {
  const found = await issueByNumber({ store, now: noon }, 1, number, lastDays(1, noon));
  return {
    mentions: found?.mentionedIn.map((issue) => issue.number),
    history: found?.history.map(({ what }) => what.kind),
  };
}

it("shows the issues that name it, the newest first and each once, and no such entry among its changes", async () => {
  await change(2, { kind: "comment", text: "see #1" });
  await change(3, { kind: "comment", text: "see #1" });
  await change(2, { kind: "comment", text: "again #1, and #2 itself" });
  await change(1, { kind: "reopen" });
  expect(await shown(1)).toEqual({ mentions: [2, 3], history: ["state"] });
  expect(await shown(2)).toEqual({ mentions: [], history: ["comment", "comment"] });
});

it("shows the issue that another was merged into, unless that is itself", async () => {
  await change(2, { kind: "comment", text: "see #1" });
  await change(4, { kind: "comment", text: "see #1" });
  const [one, three] = [await store.issue(1, { number: 1 }), await store.issue(1, { number: 3 })];
  await change(2, { kind: "merge", into: three?.id ?? -1 });
  expect((await shown(1)).mentions).toEqual([4, 3]);
  await change(4, { kind: "merge", into: one?.id ?? -1 });
  expect((await shown(1)).mentions).toEqual([3]);
});

it("shows at most 10 of them", async () => {
  for (let number = 2; number <= 14; number++) await change(number, { kind: "comment", text: "see #1" });
  expect((await shown(1)).mentions).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
});
