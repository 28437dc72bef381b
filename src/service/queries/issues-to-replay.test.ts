import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dayMs } from "../clock.ts";
import { anEvent, batchesOf, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import type { IssueChange } from "../stores/store-requests.ts";
import { findKnownIssue, issuesToReplay } from "./issues-to-replay.ts";

describe("issues whose requests a new build has to answer", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-replay-"));
  let store: Store;

  beforeAll(async () => {
    store = openSqliteStore({ folder });
    const events = [
      ["old", noon - 20 * dayMs],
      ["old", noon - 20 * dayMs],
      ["rare", noon],
      ["often", noon - dayMs],
      ["often", noon],
      ["fixed now", noon - dayMs],
      ["fixed in 2", noon - dayMs],
      ["fixed long ago", noon - 50 * dayMs],
      ["muted", noon],
    ] as const;
    const items = events.map(([text, at], index) => anEvent({ text, at, position: index * 100 }));
    for (const batch of batchesOf(items)) await store.commit(batch);
    await change("fixed now", { kind: "resolve", in: "now" }, noon);
    await change("fixed in 2", { kind: "resolve", in: "release", release: "2.0.0" }, noon);
    await change("fixed long ago", { kind: "resolve", in: "now" }, noon - 40 * dayMs);
    await change("muted", { kind: "mute", until: { kind: "for-ever" } }, noon);
  });

  afterAll(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function change(title: string, what: IssueChange, at: number): Promise<void> {
    const { issues } = await store.issues({ project: 1, filter: everything, sort: "last-seen", limit: 50 });
    const found = issues.find((issue) => issue.title === title);
    await store.change({ project: 1, issues: [found?.id ?? 0], change: what, by: "ada", at });
  }
  const everything = { states: [], terms: [], words: [] };
  const question = (release: string, atMost = 20) => ({ project: 1, release, atMost });

  it("frequent open issues and those resolved lately are found, and a fix of a later release counts as open", async () => {
    const asked = async (release: string) =>
      (await issuesToReplay({ store, now: noon }, question(release))).map((one) => [
        one.issue.title,
        one.claim,
        one.events,
      ]);
    expect(await asked("1.5.0")).toEqual([
      ["fixed in 2", "open", 1],
      ["fixed now", "fixed", 1],
      ["often", "open", 2],
      ["rare", "open", 1],
    ]);
    expect((await asked("2.0.0"))[0]).toEqual(["fixed in 2", "fixed", 1]);
  });

  it("at most as many are found as asked for, of each kind", async () => {
    const titles = (await issuesToReplay({ store, now: noon }, question("2.0.0", 1))).map(({ issue }) => issue.title);
    expect(titles).toEqual(["fixed in 2", "often"]);
  });

  it("a failure belongs to the issue of its group, or else of its title; otherwise it is new", async () => {
    const [likely] = await issuesToReplay({ store, now: noon }, question("2.0.0"));
    if (!likely) throw new Error("There is no issue.");
    const find = async (title: string, text: string) => {
      const failure = { type: "Error", title, groups: [{ version: 1, rule: "type-and-text", parts: ["Error", text] }] };
      const known = await findKnownIssue({ store, now: noon }, failure, likely, question("2.0.0"));
      return known && [known.issue.title, known.claim];
    };
    expect(await find("another title", "fixed in 2")).toEqual(["fixed in 2", "fixed"]);
    expect(await find("fixed in 2", "another group")).toEqual(["fixed in 2", "fixed"]);
    expect(await find("often", "often")).toEqual(["often", "open"]);
    expect(await find("muted", "muted")).toEqual(["muted", "muted"]);
    expect(await find("new", "new")).toBeUndefined();
  });
});
