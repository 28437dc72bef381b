import { expect, it } from "vitest";
import { defaultRule } from "../../alerts/alert-settings.ts";
import type { IssueRecord } from "../../stores/records.ts";
import type { StoreReader } from "../../stores/store.ts";
import { findNewIssues } from "./find-new-issues.ts";
import { lookLimits } from "./found-issues.ts";
import { issueLook } from "./issue-look.ts";

const project = { id: 1, name: "shop", publicKey: "k".repeat(32) };
const { look } = issueLook({ kind: "new-issue", cursor: "new-issue", find: findNewIssues, isMeant: () => true });

/** A store with several writers: numbers exist before their first event is counted. */
function storeWith(lastNumber: number, counted: ReadonlySet<number>, imported = new Set<number>()): StoreReader {
  const reader: Pick<StoreReader, "issueNews" | "issue" | "event" | "history"> = {
    issueNews: async () => ({ lastNumber, lastRegression: 0, regressed: [] }),
    issue: async (_project, by) => ("number" in by && counted.has(by.number) ? issueOf(by.number) : undefined),
    event: async () => undefined,
    history: async (_project, id) => (imported.has(id) ? [{ at: 1, by: "kim", what: { kind: "imported" } }] : []),
  };
  // The look reads nothing else.
  return reader as StoreReader;
}

function issueOf(number: number): IssueRecord {
  return {
    id: number,
    project: 1,
    number,
    state: { kind: "open" },
    type: "Error",
    title: `number ${number}`,
    culprit: undefined,
    level: "error",
    platform: undefined,
    route: undefined,
    firstSeen: 1,
    lastSeen: 1,
    events: 1,
    visitors: 1,
    stuck: 0,
    firstRelease: undefined,
    lastRelease: undefined,
    lastEventId: "a".repeat(32),
    assignee: undefined,
    ticket: undefined,
    mergedInto: undefined,
  };
}

/** One look after the other, with the cursors as the outbox saves them. */
function looking(): (store: StoreReader, now: number) => Promise<readonly string[]> {
  const cursors = new Map([["new-issue", 0]]);
  return async (store, now) => {
    const cursor = (name: string): number | undefined => cursors.get(name);
    const rule = defaultRule("new-issue");
    const result = await look({ store, project, rule, cursor, cursors, now, console: "", limits: lookLimits });
    for (const { name, value } of result.cursors) {
      if (value === undefined) cursors.delete(name);
      else cursors.set(name, value);
    }
    return [...result.found.map(({ key }) => key), ...[...cursors.keys()].filter((name) => name !== "new-issue")];
  };
}

it("an issue whose first event is counted after the look is found by a later one, once", async () => {
  const turn = looking();
  expect(await turn(storeWith(3, new Set([1, 3])), 1)).toEqual(["new-issue 1/1", "new-issue 1/3", "new-issue late 2"]);
  expect(await turn(storeWith(4, new Set([1, 3, 4])), 2)).toEqual(["new-issue 1/4", "new-issue late 2"]);
  expect(await turn(storeWith(4, new Set([1, 2, 3, 4])), 3)).toEqual(["new-issue 1/2"]);
  expect(await turn(storeWith(4, new Set([1, 2, 3, 4])), 4)).toEqual([]);
});

it("a number whose report never comes is forgotten after a week", async () => {
  const turn = looking();
  const day = 86_400_000;
  expect(await turn(storeWith(1, new Set()), 0)).toEqual(["new-issue late 1"]);
  expect(await turn(storeWith(1, new Set()), 6 * day)).toEqual(["new-issue late 1"]);
  expect(await turn(storeWith(1, new Set()), 8 * day)).toEqual([]);
});

it("imported issues send no alert, and gaps between their numbers do not hold up later ones", async () => {
  const turn = looking();
  const imported = new Set([4_000, 5_000]);
  const store = storeWith(5_001, new Set([...imported, 5_001]), imported);
  const found: string[] = [];
  for (let n = 1; n <= 12; n += 1) found.push(...(await turn(store, n)).filter((key) => !key.includes("late")));
  expect(found).toEqual(["new-issue 1/5001"]);
});
