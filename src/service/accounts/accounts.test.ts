import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Accounts, accountLimits } from "./accounts.ts";

const password = "correct horse battery";

describe("accounts of the console", () => {
  let folder: string;
  let accounts: Accounts;
  let now = 1_000_000;
  const clock = { now: () => now, elapsed: () => now };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-accounts-"));
    // What a password costs is not what is tested here.
    accounts = new Accounts(folder, clock, { ...accountLimits, passwordCost: { N: 16, r: 8, p: 1 } });
  });

  afterEach(() => {
    accounts.close();
    rmSync(folder, { recursive: true });
  });

  const invited = async (email = "ada@example.org"): Promise<string> => {
    const answer = await accounts.accept(accounts.invite("owner"), email, password);
    if (answer.kind !== "signed-in") throw new Error(answer.kind);
    return answer.session;
  };

  it("say so when their file is none any more", () => {
    const damaged = join(folder, "damaged");
    mkdirSync(damaged);
    writeFileSync(join(damaged, "accounts.db"), "junk".repeat(1_000));
    expect(() => new Accounts(damaged, clock)).toThrow(
      /accounts\.db cannot be opened: .*\[service-accounts-unreadable\]$/,
    );
  });

  it("an invite lets one person in, once", async () => {
    const secret = accounts.invite({ 1: "member" });
    expect(accounts.invited(secret)).toEqual({ email: undefined, hasAccount: false });
    const answer = await accounts.accept(secret, " Ada@Example.org ", password);
    if (answer.kind !== "signed-in") throw new Error(answer.kind);
    expect(accounts.personOf(answer.session)).toEqual({ name: "ada@example.org", roles: { 1: "member" } });
    expect(await accounts.accept(secret, "eve@example.org", password)).toEqual({ kind: "unknown-invite" });
    expect(accounts.invited(secret)).toBeUndefined();
    expect(accounts.all).toEqual([{ email: "ada@example.org", roles: { 1: "member" } }]);
  });

  it("links for the first owner, of however many starts, make one owner", async () => {
    const [first, second] = [accounts.invite("owner"), accounts.invite("owner")];
    const named = accounts.invite("viewer", "max@example.org");
    expect(await accounts.accept(second, "ada@example.org", password)).toMatchObject({ kind: "signed-in" });
    expect(await accounts.accept(first, "eve@example.org", password)).toEqual({ kind: "unknown-invite" });
    expect(await accounts.accept(named, "", password)).toMatchObject({ kind: "signed-in" });
  });

  it("an invite is over after three days, and a short password does not use it up", async () => {
    const secret = accounts.invite("viewer");
    expect(await accounts.accept(secret, "a@b", "short")).toEqual({ kind: "short-password", least: 15 });
    expect(await accounts.accept(secret, "nobody", password)).toEqual({ kind: "wrong-email" });
    now += accountLimits.inviteMs + 1;
    expect(await accounts.accept(secret, "a@b", password)).toEqual({ kind: "unknown-invite" });
  });

  it("signs in with the right password alone", async () => {
    await invited();
    expect(await accounts.signIn("ada@example.org", "wrong")).toEqual({ kind: "wrong" });
    expect(await accounts.signIn("eve@example.org", password)).toEqual({ kind: "wrong" });
    expect(await accounts.signIn("ADA@example.org", password)).toMatchObject({ kind: "signed-in" });
  });

  it("lets guessing wait, longer each time, and nobody else", async () => {
    await invited();
    for (let tries = 0; tries < 6; tries++) await accounts.signIn("ada@example.org", "wrong");
    expect(await accounts.signIn("ada@example.org", password)).toEqual({ kind: "wait", seconds: 1 });
    expect(await accounts.signIn("max@example.org", "wrong")).toEqual({ kind: "wrong" });
    now += 1_000;
    await accounts.signIn("ada@example.org", "wrong");
    expect(await accounts.signIn("ada@example.org", password)).toEqual({ kind: "wait", seconds: 2 });
    now += 2_000;
    expect(await accounts.signIn("ada@example.org", password)).toMatchObject({ kind: "signed-in" });
  });

  it("counts wrong passwords together, in however many processes they were typed", async () => {
    await invited();
    const other = new Accounts(folder, clock, { ...accountLimits, passwordCost: { N: 16, r: 8, p: 1 } });
    const wrong = Array.from({ length: 6 }, (_, n) => (n % 2 ? accounts : other).signIn("ada@example.org", "wrong"));
    await Promise.all(wrong);
    expect(await accounts.signIn("ada@example.org", password)).toEqual({ kind: "wait", seconds: 1 });
    expect(await other.signIn("ada@example.org", password)).toEqual({ kind: "wait", seconds: 1 });
    other.close();
  });

  it("somebody joins a project by an invite, gets another role there, and is gone when no project is left", async () => {
    const secret = accounts.inviteTo(1, "viewer", " Max@example.org") ?? "";
    expect(accounts.invitesTo(1)).toMatchObject([{ email: "max@example.org", role: "viewer" }]);
    expect(accounts.invitesTo(2)).toEqual([]);
    const answer = await accounts.accept(secret, "eve@example.org", password);
    if (answer.kind !== "signed-in") throw new Error(answer.kind);
    expect(accounts.personOf(answer.session)).toEqual({ name: "max@example.org", roles: { 1: "viewer" } });
    expect(accounts.setRole(1, "max@example.org", "member")).toBe(true);
    expect(accounts.membersOf(1)).toEqual([{ email: "max@example.org", role: "member", everywhere: false }]);
    expect(accounts.setRole(2, "max@example.org", "owner"), "a project that is not theirs").toBe(false);
    expect(accounts.setRole(1, "max@example.org", undefined)).toBe(true);
    expect(accounts.personOf(answer.session)).toBeUndefined();
  });

  it("an invite to a project neither changes the password of an account nor takes a role away", async () => {
    const session = await invited();
    const secret = accounts.inviteTo(2, "viewer", "ada@example.org") ?? "";
    expect(accounts.invited(secret)).toMatchObject({ hasAccount: true, project: { id: 2, role: "viewer" } });
    expect(await accounts.accept(secret, "", "a password of somebody else")).toEqual({ kind: "granted" });
    expect(accounts.personOf(session)).toMatchObject({ roles: "owner" });
    expect(await accounts.signIn("ada@example.org", password)).toMatchObject({ kind: "signed-in" });
    expect(accounts.setRole(2, "ada@example.org", undefined), "an owner of everything").toBe(false);
    expect(await accounts.accept(accounts.invite("viewer"), "ada@example.org", password)).toEqual({
      kind: "wrong-email",
    });
  });

  it("an invite that was cancelled lets nobody in", async () => {
    const secret = accounts.inviteTo(1, "owner", "max@example.org") ?? "";
    expect(accounts.cancelInvite(2, "max@example.org")).toBe(false);
    expect(accounts.cancelInvite(1, "max@example.org")).toBe(true);
    expect(await accounts.accept(secret, "", password)).toEqual({ kind: "unknown-invite" });
  });

  it("a session is over when it was signed out, unused for two weeks, or its account removed", async () => {
    const [one, two] = [await invited("one@example.org"), await invited("two@example.org")];
    accounts.signOut(one);
    expect(accounts.personOf(one)).toBeUndefined();
    now += accountLimits.idleMs - 1;
    expect(accounts.personOf(two)).toMatchObject({ name: "two@example.org" });
    now += accountLimits.idleMs + 1;
    expect(accounts.personOf(two)).toBeUndefined();
    const three = await invited("three@example.org");
    expect(accounts.remove("three@example.org")).toBe(true);
    expect(accounts.personOf(three)).toBeUndefined();
    expect(accounts.remove("three@example.org")).toBe(false);
  });

  it("a new password for an account ends its sessions", async () => {
    const session = await invited();
    const secret = accounts.invite("owner", "ada@example.org");
    expect(await accounts.accept(secret, "ignored@example.org", "another long password")).toMatchObject({
      kind: "signed-in",
    });
    expect(accounts.personOf(session)).toBeUndefined();
    expect(await accounts.signIn("ada@example.org", password)).toEqual({ kind: "wrong" });
    expect(accounts.all).toHaveLength(1);
  });

  it("keeps no secret that could be used, and keeps its file to itself", async () => {
    const session = await invited();
    const secret = accounts.invite("viewer");
    const kept = ["accounts.db", "accounts.db-wal"].map((file) => readFileSync(join(folder, file), "latin1")).join("");
    for (const text of [session, secret, password]) expect(kept).not.toContain(text);
    expect(kept).toContain("ada@example.org");
    expect(statSync(join(folder, "accounts.db")).mode & 0o777).toBe(0o600);
  });
});
