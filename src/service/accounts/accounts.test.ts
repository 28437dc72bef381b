import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Refusals } from "#bounds";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import type { Rows } from "../rows/rows.ts";
import { connect } from "../stores/postgres/connect/connections.ts";
import { postgresLimits } from "../stores/postgres/limits.ts";
import { migrate } from "../stores/postgres/migrations/migrate.ts";
import { postgresRows } from "../stores/postgres/shared/postgres-rows.ts";
import { Accounts } from "./accounts.ts";
import type { Applicant } from "./applicant.ts";
import { type AccountLimits, accountLimits } from "./limits.ts";
import { openDatabase } from "./open-database.ts";
import type { Role } from "./people.ts";

const password = "correct horse battery";
const here: Applicant = { address: "192.0.2.1" };
const elsewhere: Applicant = { address: "198.51.100.7" };

let postgres: TestPostgres;
let prepared: string;

beforeAll(async () => {
  postgres = await startPostgres();
  prepared = await postgres.newDatabase();
  const connections = await connect(prepared, postgresLimits);
  await migrate(connections.preparing);
  await connections.close();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

// The cost of a password is not under test.
const quickLimits: AccountLimits = { ...accountLimits, passwordCost: { N: 16, r: 8, p: 1 } };
let now = 1_000_000;
const clock = { now: () => now, elapsed: () => now };

describeAccounts("in a data folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-accounts-"));
  return { open: async () => openDatabase(folder), remove: async () => rmSync(folder, { recursive: true }) };
});

describeAccounts("in PostgreSQL", async () => {
  const address = await postgres.newDatabase(prepared);
  return {
    open: async () => postgresRows((await connect(address, postgresLimits)).shared),
    remove: async () => undefined,
  };
});

describe("the file of the accounts", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-accounts-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("accounts fail to open with a clear error if their file is corrupt", () => {
    const damaged = join(folder, "damaged");
    mkdirSync(damaged);
    writeFileSync(join(damaged, "accounts.db"), "junk".repeat(1_000));
    expect(() => openDatabase(damaged)).toThrow(/accounts\.db cannot be opened: .*\[service-accounts-unreadable\]$/);
  });

  it("no usable secret is stored, and the file is readable only for its owner", async () => {
    const rows = openDatabase(folder);
    const accounts = new Accounts(rows, clock, quickLimits);
    const first = await accounts.invites.create("owner");
    const opened = await accounts.accept(first, { email: "ada@example.org", password }, here);
    if (opened.kind !== "signed-in") throw new Error(opened.kind);
    const secret = await accounts.invites.create("viewer");
    const kept = ["accounts.db", "accounts.db-wal"].map((file) => readFileSync(join(folder, file), "latin1")).join("");
    for (const text of [opened.session, first, secret, password]) expect(kept).not.toContain(text);
    expect(kept).toContain("ada@example.org");
    expect(statSync(join(folder, "accounts.db")).mode & 0o777).toBe(0o600);
    await rows.close();
  });
});

interface Place {
  /** Each time like another process. */
  open(): Promise<Rows>;
  remove(): Promise<void>;
}

/** What must hold wherever the accounts are. */
function describeAccounts(where: string, choose: () => Promise<Place>): void {
  describe(`accounts of the console ${where}`, () => {
    let place: Place;
    let accounts: Accounts;
    let opened: Rows[] = [];
    const another = async (
      limits = quickLimits,
      refusals?: Refusals,
      change = (rows: Rows) => rows,
    ): Promise<Accounts> => {
      const rows = await place.open();
      opened.push(rows);
      return new Accounts(change(rows), clock, limits, { refusals });
    };

    beforeEach(async () => {
      place = await choose();
      accounts = await another();
    });

    afterEach(async () => {
      await Promise.all(opened.map((one) => one.close()));
      opened = [];
      await place.remove();
    });

    const joinLink = async (project: number, role: Role, email: string): Promise<string> =>
      (await accounts.invites.createForProject(project, role, email)) ?? "";
    const accept = (secret: string, email: string, typed: string, from = here) =>
      accounts.accept(secret, { email, password: typed }, from);
    const signIn = (email: string, typed: string, from = here) => accounts.signIn(email, typed, from);
    const invited = async (email = "ada@example.org"): Promise<string> => {
      const answer = await accept(await accounts.invites.create("owner"), email, password);
      if (answer.kind !== "signed-in") throw new Error(answer.kind);
      return answer.session;
    };

    it("an invite admits one person, once", async () => {
      const secret = await accounts.invites.create({ 1: "member" });
      expect(await accounts.invites.find(secret)).toEqual({ email: undefined, hasAccount: false });
      const answer = await accept(secret, " Ada@Example.org ", password);
      if (answer.kind !== "signed-in") throw new Error(answer.kind);
      expect(await accounts.sessions.personOf(answer.session)).toEqual({
        name: "ada@example.org",
        roles: { 1: "member" },
      });
      expect(await accept(secret, "eve@example.org", password)).toEqual({ kind: "unknown-invite" });
      expect(await accounts.invites.find(secret)).toBeUndefined();
      expect(await accounts.all()).toEqual([{ email: "ada@example.org", roles: { 1: "member" } }]);
    });

    it("links for the first owner, of however many starts, make one owner", async () => {
      const [first, second] = [await accounts.invites.create("owner"), await accounts.invites.create("owner")];
      const named = await accounts.invites.create("viewer", "max@example.org");
      expect(await accept(second, "ada@example.org", password)).toMatchObject({ kind: "signed-in" });
      expect(await accept(first, "eve@example.org", password)).toEqual({ kind: "unknown-invite" });
      expect(await accept(named, "", password)).toMatchObject({ kind: "signed-in" });
    });

    it("an invite expires after three days, and a short password does not use it up", async () => {
      const secret = await accounts.invites.create("viewer");
      expect(await accept(secret, "a@b", "short")).toEqual({ kind: "short-password", least: 15 });
      expect(await accept(secret, "nobody", password)).toEqual({ kind: "wrong-email" });
      now += accountLimits.inviteMs + 1;
      expect(await accept(secret, "a@b", password)).toEqual({ kind: "unknown-invite" });
    });

    it("signing in works only with the right password", async () => {
      await invited();
      expect(await signIn("ada@example.org", "wrong")).toEqual({ kind: "wrong" });
      expect(await signIn("eve@example.org", password)).toEqual({ kind: "wrong" });
      expect(await signIn("ADA@example.org", password)).toMatchObject({ kind: "signed-in" });
    });

    it("guessing waits longer each time, and only for the guesser", async () => {
      await invited();
      for (let tries = 0; tries < 6; tries++) await signIn("ada@example.org", "wrong");
      expect(await signIn("ada@example.org", password)).toEqual({ kind: "wait", seconds: 1 });
      expect(await signIn("max@example.org", "wrong")).toEqual({ kind: "wrong" });
      now += 1_000;
      await signIn("ada@example.org", "wrong");
      expect(await signIn("ada@example.org", password)).toEqual({ kind: "wait", seconds: 2 });
      now += 2_000;
      expect(await signIn("ada@example.org", password)).toMatchObject({ kind: "signed-in" });
    });

    it("the right password never waits because of guesses from elsewhere", async () => {
      await invited();
      for (let tries = 0; tries < 12; tries++) await signIn("ada@example.org", "wrong", elsewhere);
      expect(await signIn("ada@example.org", password, elsewhere)).toMatchObject({ kind: "wait" });
      expect(await signIn("ada@example.org", password)).toMatchObject({ kind: "signed-in" });
    });

    it("a browser that has opened the account has its own attempts, even where all clients share an address", async () => {
      await invited();
      const first = await signIn("ada@example.org", password);
      if (first.kind !== "signed-in") throw new Error(first.kind);
      for (let tries = 0; tries < 12; tries++) await signIn("ada@example.org", "wrong");
      expect(await signIn("ada@example.org", password)).toMatchObject({ kind: "wait" });
      const known = { ...here, device: first.device };
      const again = await signIn("ada@example.org", password, known);
      expect(again).toMatchObject({ kind: "signed-in", device: first.device });
      for (let tries = 0; tries < 6; tries++) await signIn("ada@example.org", "wrong", known);
      expect(await signIn("ada@example.org", password, known), "its tries are bounded too").toMatchObject({
        kind: "wait",
      });
      const other = { ...here, device: "made up" };
      expect(await signIn("ada@example.org", password, other)).toMatchObject({ kind: "wait" });
    });

    it("a device is known only for its own account, and not after a new password", async () => {
      await invited();
      const max = await accept(await joinLink(1, "viewer", "max@example.org"), "", password);
      if (max.kind !== "signed-in") throw new Error(max.kind);
      for (let tries = 0; tries < 6; tries++) await signIn("ada@example.org", "wrong");
      const foreign = { ...here, device: max.device };
      expect(await signIn("ada@example.org", password, foreign)).toMatchObject({ kind: "wait" });
      await accept(await accounts.invites.create("viewer", "max@example.org"), "", "another long password");
      for (let tries = 0; tries < 6; tries++) await signIn("max@example.org", "wrong");
      expect(await signIn("max@example.org", "another long password", foreign)).toMatchObject({ kind: "wait" });
    });

    it("the attempts of one client are bounded, whatever addresses it makes up, and an IPv6 network is one client", async () => {
      const tried: string[] = [];
      for (let at = 0; at < 25; at++) {
        const from = { address: `2001:db8:1:2::${at}` };
        tried.push((await signIn(`made-up-${at}@example.org`, "wrong", from)).kind);
      }
      expect(tried.filter((kind) => kind === "wrong")).toHaveLength(accountLimits.triesBurst);
      expect(await signIn("made-up@example.org", "wrong", { address: "2001:db8:1:2::ffff" })).toEqual({
        kind: "wait",
        seconds: 5,
      });
      expect(await signIn("made-up@example.org", "wrong", { address: "2001:db8:1:3::1" })).toEqual({ kind: "wrong" });
      now += 5_000;
      expect(await signIn("made-up@example.org", "wrong", { address: "2001:db8:1:2::1" })).toEqual({ kind: "wrong" });
    });

    it("one password is checked at a time, checks beyond the queue are refused, and places are reserved for known browsers and invites", async () => {
      const refusals = new Refusals();
      const limits = { ...quickLimits, checksWaiting: 4, checksReserved: 2 };
      const gate = Promise.withResolvers<void>();
      const busy = await another(limits, refusals, (rows) => ({
        ...rows,
        one: async (sql, ...values) => {
          // The first check takes until the gate opens.
          if (sql.includes("INSERT INTO holdfast.attempt")) await gate.promise;
          return rows.one(sql, ...values);
        },
      }));
      const first = await busy.accept(await busy.invites.create("owner"), { email: "ada@example.org", password }, here);
      if (first.kind !== "signed-in") throw new Error(first.kind);
      const secret = await joinLink(1, "viewer", "max@example.org");
      let refused = 0;
      const seven = Promise.withResolvers<void>();
      const flood = Array.from({ length: 10 }, async (_, at) => {
        const { kind } = await busy.signIn(`made-up-${at}@example.org`, "wrong", { address: `192.0.2.${at + 10}` });
        if (kind === "busy") refused += 1;
        if (refused === 7) seven.resolve();
        return kind;
      });
      await seven.promise;
      const urgent = [
        busy.accept(secret, { email: "", password }, elsewhere),
        busy.signIn("ada@example.org", password, { ...elsewhere, device: first.device }),
        busy.signIn("ada@example.org", password, { ...elsewhere, device: first.device }),
      ];
      expect(await Promise.race(urgent)).toEqual({ kind: "busy", seconds: 5 });
      gate.resolve();
      expect((await Promise.all(flood)).sort()).toEqual([...Array(7).fill("busy"), ...Array(3).fill("wrong")]);
      expect((await Promise.all(urgent)).map(({ kind }) => kind).sort()).toEqual(["busy", "signed-in", "signed-in"]);
      expect(refusals.totals.get("password-checks")).toBe(8);
    });

    it("a password of a megabyte is refused", async () => {
      await invited();
      expect(await signIn("ada@example.org", "x".repeat(1_000_000))).toEqual({ kind: "wrong" });
      const secret = await accounts.invites.create("viewer");
      expect(await accept(secret, "max@example.org", "x".repeat(1_025))).toEqual({
        kind: "long-password",
        most: 1_024,
      });
    });

    it("wrong passwords are counted together in all processes", async () => {
      await invited();
      const other = await another();
      const wrong = Array.from({ length: 6 }, (_, n) =>
        (n % 2 ? accounts : other).signIn("ada@example.org", "wrong", here),
      );
      await Promise.all(wrong);
      expect(await accounts.signIn("ada@example.org", password, here)).toEqual({ kind: "wait", seconds: 1 });
      expect(await other.signIn("ada@example.org", password, here)).toEqual({ kind: "wait", seconds: 1 });
    });

    it("a person joins a project by an invite, gets another role in it, and is deleted when no project is left", async () => {
      const secret = await joinLink(1, "viewer", " Max@example.org");
      expect(await accounts.invites.forProject(1)).toMatchObject([{ email: "max@example.org", role: "viewer" }]);
      expect(await accounts.invites.forProject(2)).toEqual([]);
      const answer = await accept(secret, "eve@example.org", password);
      if (answer.kind !== "signed-in") throw new Error(answer.kind);
      expect(await accounts.sessions.personOf(answer.session)).toEqual({
        name: "max@example.org",
        roles: { 1: "viewer" },
      });
      expect(await accounts.setRole(1, "max@example.org", "member")).toBe(true);
      expect(await accounts.membersOf(1)).toEqual([{ email: "max@example.org", role: "member", everywhere: false }]);
      expect(await accounts.setRole(2, "max@example.org", "owner"), "a project that is not theirs").toBe(false);
      expect(await accounts.setRole(1, "max@example.org", undefined)).toBe(true);
      expect(await accounts.sessions.personOf(answer.session)).toBeUndefined();
    });

    it("an invite to a project neither changes the password of an account nor removes a role", async () => {
      const session = await invited();
      const secret = await joinLink(2, "viewer", "ada@example.org");
      expect(await accounts.invites.find(secret)).toMatchObject({
        hasAccount: true,
        project: { id: 2, role: "viewer" },
      });
      expect(await accept(secret, "", "a password of somebody else")).toEqual({ kind: "wrong" });
      expect(await accept(secret, "", password)).toMatchObject({ kind: "signed-in" });
      expect(await accounts.sessions.personOf(session)).toMatchObject({ roles: "owner" });
      expect(await signIn("ada@example.org", password)).toMatchObject({ kind: "signed-in" });
      expect(await accounts.setRole(2, "ada@example.org", undefined), "an owner of everything").toBe(false);
      expect(await accept(await accounts.invites.create("viewer"), "ada@example.org", password)).toEqual({
        kind: "wrong-email",
      });
    });

    it("a person who made an account with the address of another gets nothing that the other is invited to", async () => {
      // Mallory owns project 2, invites Victoria's address to it, and uses the link himself.
      const own = await accept(await joinLink(2, "viewer", "victoria@example.org"), "", "mallory's own words");
      if (own.kind !== "signed-in") throw new Error(own.kind);
      // The owner of project 1 sends Victoria a link. She opens it, and has no password for that account.
      const secret = await joinLink(1, "owner", "victoria@example.org");
      expect(await accept(secret, "", "a password that she chooses")).toEqual({ kind: "wrong" });
      expect(await accept(secret, "", "")).toEqual({ kind: "wrong" });
      const stranger = await accept(await joinLink(2, "viewer", "max@example.org"), "", password);
      if (stranger.kind !== "signed-in") throw new Error(stranger.kind);
      expect(await accept(secret, "", "", { ...here, session: stranger.session }), "another's session").toEqual({
        kind: "wrong",
      });
      expect(await accounts.sessions.personOf(own.session)).toMatchObject({ roles: { 2: "viewer" } });
      // The operator removes the account. Then the link creates one for her.
      await accounts.remove("victoria@example.org");
      expect(await accept(secret, "", "a password that she chooses")).toMatchObject({ kind: "signed-in" });
      expect(await accounts.membersOf(1)).toEqual([
        { email: "victoria@example.org", role: "owner", everywhere: false },
      ]);
      expect(await accounts.sessions.personOf(own.session)).toBeUndefined();
    });

    it("a person who is signed in to the account joins without the password", async () => {
      const first = await accept(await joinLink(1, "viewer", "max@example.org"), "", password);
      if (first.kind !== "signed-in") throw new Error(first.kind);
      const secret = await joinLink(2, "member", "max@example.org");
      expect(await accept(secret, "", "", { ...here, session: first.session })).toEqual({ kind: "granted" });
      expect(await accounts.sessions.personOf(first.session)).toMatchObject({ roles: { 1: "viewer", 2: "member" } });
    });

    it("two people who use invites for one address at the same time do not take over each other's account", async () => {
      const others = [accounts, await another()];
      const secrets = [await joinLink(1, "owner", "max@example.org"), await joinLink(2, "owner", "max@example.org")];
      const passwordOf = (n: number): string => `the password of person ${n}`;
      const answers = await Promise.all(
        others.map((one, n) => one.accept(secrets[n] ?? "", { email: "", password: passwordOf(n) }, here)),
      );
      expect(answers.map(({ kind }) => kind).sort()).toEqual(["signed-in", "wrong"]);
      const winner = answers.findIndex(({ kind }) => kind === "signed-in");
      expect(await accounts.membersOf(winner + 1)).toHaveLength(1);
      expect(await accounts.all()).toHaveLength(1);
      expect(await signIn("max@example.org", passwordOf(winner))).toMatchObject({ kind: "signed-in" });
    });

    it("guesses at the account of an invite are slowed down like any others", async () => {
      await invited();
      const secret = await joinLink(2, "viewer", "ada@example.org");
      for (let tries = 0; tries < 6; tries++) await accept(secret, "", "wrong");
      expect(await accept(secret, "", password)).toEqual({ kind: "wait", seconds: 1 });
    });

    it("an invite that was cancelled admits no one", async () => {
      const secret = await joinLink(1, "owner", "max@example.org");
      expect(await accounts.invites.cancel(2, "max@example.org")).toBe(false);
      expect(await accounts.invites.cancel(1, "max@example.org")).toBe(true);
      expect(await accept(secret, "", password)).toEqual({ kind: "unknown-invite" });
    });

    it("a session ends when it is signed out, unused for two weeks, or its account removed", async () => {
      const [one, two] = [await invited("one@example.org"), await invited("two@example.org")];
      await accounts.sessions.end(one);
      expect(await accounts.sessions.personOf(one)).toBeUndefined();
      now += accountLimits.idleMs - 1;
      expect(await accounts.sessions.personOf(two)).toMatchObject({ name: "two@example.org" });
      now += accountLimits.idleMs + 1;
      expect(await accounts.sessions.personOf(two)).toBeUndefined();
      const three = await invited("three@example.org");
      expect(await accounts.remove("three@example.org")).toBe(true);
      expect(await accounts.sessions.personOf(three)).toBeUndefined();
      expect(await accounts.remove("three@example.org")).toBe(false);
    });

    it("an account has fifty sessions and ten known browsers; the oldest sessions and the longest unused browsers are removed", async () => {
      const first = await invited();
      const devices: string[] = [];
      for (let count = 0; count < 50; count++) {
        now += 1_000;
        const answer = await signIn("ada@example.org", password, { address: `192.0.2.${count}` });
        if (answer.kind !== "signed-in") throw new Error(answer.kind);
        devices.push(answer.device);
      }
      expect(await accounts.sessions.personOf(first)).toBeUndefined();
      for (let tries = 0; tries < 6; tries++) await signIn("ada@example.org", "wrong", elsewhere);
      const tryFrom = async (device: string | undefined) =>
        (await signIn("ada@example.org", password, { ...elsewhere, device })).kind;
      expect([await tryFrom(devices.at(-11)), await tryFrom(devices.at(-10))]).toEqual(["wait", "signed-in"]);
    });

    it("a new password for an account ends its sessions", async () => {
      const session = await invited();
      const secret = await accounts.invites.create("owner", "ada@example.org");
      expect(await accept(secret, "ignored@example.org", "another long password")).toMatchObject({
        kind: "signed-in",
      });
      expect(await accounts.sessions.personOf(session)).toBeUndefined();
      expect(await signIn("ada@example.org", password)).toEqual({ kind: "wrong" });
      expect(await accounts.all()).toHaveLength(1);
    });

    it("an invite that several processes use at the same time admits one person", async () => {
      const others = [accounts, await another(), await another()];
      const secret = await accounts.invites.create("owner");
      const answers = await Promise.all(
        others.map((one, n) => one.accept(secret, { email: `person-${n}@example.org`, password }, here)),
      );
      expect(answers.map(({ kind }) => kind).sort()).toEqual(["signed-in", "unknown-invite", "unknown-invite"]);
      expect(await accounts.all()).toHaveLength(1);
    });

    it("links for the first owner that are used in several processes at the same time make one owner", async () => {
      const others = [accounts, await another(), await another()];
      const secrets = await Promise.all(others.map((one) => one.invites.create("owner")));
      const answers = await Promise.all(
        others.map((one, n) => one.accept(secrets[n] ?? "", { email: `person-${n}@example.org`, password }, here)),
      );
      expect(answers.map(({ kind }) => kind).sort()).toEqual(["signed-in", "unknown-invite", "unknown-invite"]);
      expect(await accounts.all()).toHaveLength(1);
    });

    it("of parallel guesses in several processes no more are checked than of guesses one after another", async () => {
      await invited();
      const patient = { ...quickLimits, checksWaiting: 100, checksReserved: 0 };
      const others = [await another(patient), await another(patient)];
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) => others[n % 2]?.signIn("ada@example.org", "wrong", here)),
      );
      expect(answers.filter((answer) => answer?.kind === "wrong")).toHaveLength(6);
      expect(answers.filter((answer) => answer?.kind === "wait")).toHaveLength(24);
    });

    it("a password that is replaced while it is checked opens nothing", async () => {
      await invited();
      const checked = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const late = await another(quickLimits, undefined, (rows) => ({
        ...rows,
        transaction: async (work) => {
          checked.resolve();
          await gate.promise;
          return rows.transaction(work);
        },
      }));
      const answer = late.signIn("ada@example.org", password, here);
      await checked.promise;
      const secret = await accounts.invites.create("owner", "ada@example.org");
      expect(await accept(secret, "", "another long password")).toMatchObject({ kind: "signed-in" });
      gate.resolve();
      expect(await answer).toEqual({ kind: "wrong" });
    });

    it("roles in two projects that change at the same time are both kept", async () => {
      await accept(await joinLink(1, "viewer", "max@example.org"), "", password);
      await accept(await joinLink(2, "viewer", "max@example.org"), "", password);
      const other = await another();
      await Promise.all([
        accounts.setRole(1, "max@example.org", "owner"),
        other.setRole(2, "max@example.org", "member"),
      ]);
      expect(await accounts.all()).toEqual([{ email: "max@example.org", roles: { 1: "owner", 2: "member" } }]);
    });
  });
}
