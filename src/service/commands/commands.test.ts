import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { keepLastAddress } from "../last-address.ts";
import { openService } from "../open-service.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import { anEvent, batchesOf } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { ServiceCommand } from "./command.ts";
import { issuesCommand } from "./issues-command.ts";
import { resolveCommand } from "./resolve-command.ts";
import { tokenCommand } from "./token-command.ts";
import { userCommand } from "./user-command.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-commands-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

async function run(command: ServiceCommand, ...args: string[]): Promise<{ printed: string[]; warned: string[] }> {
  const printed: string[] = [];
  const warned: string[] = [];
  const output = { print: (text: string) => printed.push(text), warn: (text: string) => warned.push(text) };
  expect(await command.run([...args, "--data", folder], output)).toBe(0);
  return { printed, warned };
}

async function file(texts: readonly string[]): Promise<void> {
  const store = openSqliteStore({ folder: join(folder, "store") });
  for (const batch of batchesOf(texts.map((text) => anEvent({ text })))) await store.commit(batch);
  store.close();
}

describe("the list of issues", () => {
  it("prints how many issues there are and how to see more", async () => {
    await file(Array.from({ length: 30 }, (_, n) => `kind ${n}`));
    const first = await run(issuesCommand);
    expect(first.printed).toHaveLength(25);
    expect(first.warned).toEqual(["These are the newest 25 of 30. `--limit 100` prints more, a filter fewer."]);
    const all = await run(issuesCommand, "--limit", "100");
    expect([all.printed.length, all.warned]).toEqual([30, []]);
  });

  it("is one JSON list for programs, without the warnings", async () => {
    await file(["one", "two", "three"]);
    const { printed, warned } = await run(issuesCommand, "--json", "--limit", "2");
    expect(JSON.parse(printed.join("\n"))).toMatchObject([{ number: expect.any(Number), events: 1 }, {}]);
    expect(warned).toHaveLength(1);
  });

  it("names the meaningless parts of the filter", async () => {
    await file(["one"]);
    const { printed, warned } = await run(issuesCommand, "is:nonsense");
    expect(printed).toEqual(["There are no such issues."]);
    expect(warned).toEqual([expect.stringContaining("There is no state “nonsense”.")]);
  });

  it("has one line for each issue, whatever text an event contains", async () => {
    await file(["broken\n#2  resolved  2026-01-01  1×  nothing"]);
    expect((await run(issuesCommand)).printed).toEqual([expect.stringContaining("broken\\n#2  resolved")]);
  });
});

describe("an issue of a folder", () => {
  it("an issue is resolved while no service has the folder", async () => {
    await file(["one", "two"]);
    expect((await run(resolveCommand, "1", "2")).printed).toEqual(["2 issues are resolved."]);
    expect((await run(issuesCommand, "is:resolved")).printed).toHaveLength(2);
    const running = await openService({ dataFolder: folder });
    onTestFinished(() => running.close());
    await expect(run(resolveCommand, "1")).rejects.toThrow("is in use by");
  });
});

describe("tokens", () => {
  it("tokens are made, listed and revoked, for a project and for a person", async () => {
    const [secret = ""] = (await run(tokenCommand, "create", "ci", "--scopes", "read,triage", "--expires", "90d"))
      .printed;
    const shared = await openSharedState(folder);
    onTestFinished(() => shared.close());
    const grantOf = (text: string) => shared.tokens.find(text);
    expect(await grantOf(secret)).toMatchObject({ name: "ci", owner: { kind: "project", project: 1 } });
    const [listed = ""] = (await run(tokenCommand, "list")).printed;
    expect(listed).toMatch(/^ci {2}read,triage {2}made \d{4}-\d\d-\d\d, used .*, expires /);
    const asJson: unknown = JSON.parse((await run(tokenCommand, "list", "--json")).printed.join("\n"));
    expect(asJson).toMatchObject([{ name: "ci", scopes: ["read", "triage"] }]);
    await run(tokenCommand, "revoke", "ci");
    expect(await grantOf(secret)).toBeUndefined();

    const ada = ["--person", "ada@example.org"];
    await expect(run(tokenCommand, "create", "laptop", "--scopes", "read", ...ada)).rejects.toThrow("has no account");
    const invite = await shared.openAccounts().invites.create("owner", "ada@example.org");
    const typed = { email: "", password: "several words to remember" };
    await shared.openAccounts().accept(invite, typed, { address: "192.0.2.1" });
    const [own = ""] = (await run(tokenCommand, "create", "laptop", "--scopes", "read", ...ada)).printed;
    expect((await grantOf(own))?.person).toEqual({ name: "ada@example.org", roles: "viewer" });
    const audit = (await shared.audit.recent(1, 9)).map(({ by, what }) => `${by} ${what}`);
    expect(audit).toEqual([
      "the command line made the personal token laptop of ada@example.org (read)",
      "the command line revoked the token ci",
      "the command line made the token ci (read, triage)",
    ]);
  });

  it("tokens for uploads are made by their name alone, as before, and revoked like others", async () => {
    const [secret = ""] = (await run(tokenCommand, "pipeline")).printed;
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect((await run(tokenCommand, "list")).printed).toEqual(["pipeline  upload  for uploads alone"]);
    await run(tokenCommand, "revoke", "pipeline");
    expect((await run(tokenCommand, "list")).printed).toEqual(["There are no tokens."]);
  });

  it.each([
    ["a word too many", ["create", "a", "b"], "A token needs one name."],
    ["no name", ["create"], "A token needs one name."],
    ["no scope", ["create", "a"], "A token needs a scope"],
    ["a scope that does not exist", ["create", "a", "--scopes", "root"], 'There is no scope "root"'],
    ["a time without a unit", ["create", "a", "--scopes", "read", "--expires", "90"], "such as 90d or 12h"],
    ["a project that does not exist", ["list", "--project", "7"], "There is no project 7."],
    ["an unknown name", ["revoke", "nothing"], "There is no token named nothing."],
  ])("a token with %s is refused", async (_, args, why) => {
    await expect(run(tokenCommand, ...args)).rejects.toThrow(why);
  });
});

describe("an invite", () => {
  it("links to the last address of the console, of a standalone service as well as of an application", async () => {
    keepLastAddress(folder, "http://127.0.0.1:4801");
    expect((await run(userCommand, "invite", "ada@example.org")).printed).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:4801\/_holdfast\/welcome\//),
    ]);
    keepLastAddress(folder, "https://shop.example/_holdfast");
    expect((await run(userCommand, "invite", "ada@example.org")).printed).toEqual([
      expect.stringMatching(/^https:\/\/shop\.example\/_holdfast\/welcome\//),
    ]);
  });

  it("warns that its address is a guess if nothing has been started yet", async () => {
    mkdirSync(join(folder, "store"));
    const { printed, warned } = await run(userCommand, "invite", "ada@example.org");
    expect(printed).toEqual([expect.stringContaining("http://localhost:4600/_holdfast/welcome/")]);
    expect(warned).toEqual([expect.stringContaining("--origin")]);
  });
});
