import { describe, expect, it } from "vitest";
import type { Frame, ReportedEvent } from "#protocol";
import type { Commit, IssueRecord, ReleaseRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { suspectCommit } from "./suspect-commit.ts";

const commit = (hash: string, ...files: string[]): Commit => ({ hash, author: "Jo", at: 1, subject: hash, files });

/** The releases of a project, newest first, with the commits of each. */
function storeWith(releases: Readonly<Record<string, readonly Commit[]>>): StoreReader {
  const names = Object.keys(releases);
  return {
    releases: async () => names.map((name) => ({ name }) as ReleaseRecord),
    commits: async (_project: number, release: string) => releases[release] ?? [],
  } as Partial<StoreReader> as StoreReader;
}

const frame = (filename: string, inApp = true): Frame => ({ filename, inApp, line: 1 });
const issue = (firstRelease?: string) => ({ project: 1, firstRelease }) as IssueRecord;
const event = (...frames: Frame[]) =>
  ({ exceptions: [{ type: "Error", frames }] }) as Partial<ReportedEvent> as ReportedEvent;

const base = commit("base", "shop/src/cart.ts");

describe("the suspect commit of an issue", () => {
  it("is the newest between the release before and its first that touches the innermost own file", async () => {
    const store = storeWith({
      r3: [commit("later", "shop/src/cart.ts")],
      r2: [
        commit("docs", "README.md"),
        commit("new", "shop/src/cart.ts"),
        commit("old", "shop/src/cart.ts", "shop/src/page.tsx"),
        base,
      ],
      r1: [base],
    });
    const suspect = await suspectCommit(
      store,
      issue("r2"),
      event(frame("src/page.tsx"), frame("src/cart.ts"), frame("node_modules/react/index.js", false)),
    );
    expect(suspect).toMatchObject({ commit: { hash: "new" }, file: "src/cart.ts", release: "r2" });
    expect(await suspectCommit(store, issue("r2"), event(frame("src/page.tsx")))).toMatchObject({
      commit: { hash: "old" },
    });
  });

  it("is not named if no new commit touches the stack, or if it is unknown which are new", async () => {
    const store = storeWith({ r2: [commit("new", "src/other.ts"), base], r1: [base] });
    expect(await suspectCommit(store, issue("r2"), event(frame("src/cart.ts")))).toBeUndefined();
    expect(await suspectCommit(store, issue("r1"), event(frame("src/cart.ts")))).toBeUndefined();
    expect(await suspectCommit(store, issue(), event(frame("src/cart.ts")))).toBeUndefined();
    expect(await suspectCommit(store, issue("r2"), event(frame("art.ts")))).toBeUndefined();
  });
});
