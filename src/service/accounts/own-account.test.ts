import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import type { Rows } from "../rows/rows.ts";
import { connect } from "../stores/postgres/connect/connections.ts";
import { postgresLimits } from "../stores/postgres/limits.ts";
import { migrate } from "../stores/postgres/migrations/migrate.ts";
import { postgresRows } from "../stores/postgres/shared/postgres-rows.ts";
import { Accounts } from "./accounts.ts";
import type { Applicant } from "./applicant.ts";
import { deviceNameOf, networkOf } from "./device-name.ts";
import { type AccountLimits, accountLimits } from "./limits.ts";
import { openDatabase } from "./open-database.ts";
import { RefusalLog } from "./refusal-log.ts";

const password = "correct horse battery";
const better = "several words to remember";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const safari =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
const atHome: Applicant = { address: "192.0.2.17", userAgent: firefox };
const onTheTrain: Applicant = { address: "2001:db8:1:2::7", userAgent: safari };

// The cost of a password is not under test.
const quickLimits: AccountLimits = { ...accountLimits, passwordCost: { N: 16, r: 8, p: 1 } };
const quarterMs = 900_000;
let now = 0;
const clock = { now: () => now, elapsed: () => now };

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

describeOwnAccount("in a data folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-own-"));
  return { rows: openDatabase(folder), remove: () => rmSync(folder, { recursive: true }) };
});

describeOwnAccount("in PostgreSQL", async () => {
  const connections = await connect(await postgres.newDatabase(), postgresLimits);
  await migrate(connections.preparing);
  return { rows: postgresRows(connections.shared), remove: () => connections.close() };
});

interface Place {
  rows: Rows;
  remove(): unknown;
}

function describeOwnAccount(where: string, choose: () => Promise<Place>): void {
  describe(`an own account ${where}`, () => {
    let place: Place;
    let accounts: Accounts;

    beforeEach(async () => {
      now = 1_000 * quarterMs;
      place = await choose();
      accounts = new Accounts(place.rows, clock, quickLimits);
    });

    afterEach(async () => {
      await place.rows.close();
      await place.remove();
    });

    const invited = async (email: string, from = atHome) => {
      const secret = await accounts.invites.create("owner", email);
      const answer = await accounts.accept(secret, { email: "", password }, from);
      if (answer.kind !== "signed-in") throw new Error(answer.kind);
      return answer;
    };
    const signIn = async (from: Applicant, typed = password) => {
      const answer = await accounts.signIn("ada@example.org", typed, from);
      if (answer.kind !== "signed-in") throw new Error(answer.kind);
      return answer;
    };

    it("a name is shown in place of the address, until it is taken back", async () => {
      const { session } = await invited("ada@example.org");
      expect(await accounts.sessions.personOf(session)).toEqual({ name: "ada@example.org", roles: "owner" });
      expect(await accounts.own.rename("ada@example.org", "  Ada  Lovelace ")).toEqual({ kind: "changed" });
      expect(await accounts.sessions.personOf(session), "the identity").toMatchObject({ name: "ada@example.org" });
      expect(await accounts.names()).toEqual(new Map([["ada@example.org", "Ada Lovelace"]]));
      expect(await accounts.membersOf(1)).toMatchObject([{ email: "ada@example.org", name: "Ada Lovelace" }]);
      expect(await accounts.own.rename("ada@example.org", "")).toEqual({ kind: "changed" });
      expect(await accounts.names()).toEqual(new Map());
    });

    it("a name cannot be that of another person, an address, too long, or hide characters", async () => {
      await invited("ada@example.org");
      await invited("eve@example.org");
      await accounts.own.rename("ada@example.org", "Ada");
      for (const name of ["ada", "ada@example.org", "x".repeat(61), "Ada\u202e", "A\u200bda", "<b>", "Events"])
        expect(await accounts.own.rename("eve@example.org", name), name).toMatchObject({ kind: "refused" });
      expect(await accounts.own.rename("ada@example.org", "ADA"), "one's own").toEqual({ kind: "changed" });
      expect(await accounts.own.rename("eve@example.org", "Zoë O’Neill-Ñandú 3."), "letters").toEqual({
        kind: "changed",
      });
    });

    it("sessions name their device and network, when they began and were used, and which one this is", async () => {
      const first = await invited("ada@example.org");
      now += 3_600_000;
      const second = await signIn(onTheTrain);
      expect(await accounts.sessions.of("ada@example.org", first.session)).toMatchObject([
        { device: "Safari on iPhone", network: "2001:db8:1::", began: now, used: now, isThis: false },
        { device: "Firefox on Linux", network: "192.0.2.x", began: now - 3_600_000, isThis: true },
      ]);
      now += 300_001;
      await accounts.sessions.personOf(first.session);
      expect((await accounts.sessions.of("ada@example.org", second.session)).map(({ used }) => used)).toEqual([
        now,
        now - 300_001,
      ]);
      now += accountLimits.idleMs;
      expect(await accounts.sessions.of("ada@example.org", first.session)).toHaveLength(1);
    });

    it("a person ends one of their sessions, and none of others", async () => {
      const ada = await invited("ada@example.org");
      const eve = await invited("eve@example.org");
      const [own] = await accounts.sessions.of("ada@example.org", undefined);
      expect(await accounts.sessions.endOne("eve@example.org", own?.id ?? "")).toBe(false);
      expect(await accounts.sessions.endOne("ada@example.org", own?.id ?? "")).toBe(true);
      expect(await accounts.sessions.personOf(ada.session)).toBeUndefined();
      expect(await accounts.sessions.personOf(eve.session)).toMatchObject({ name: "eve@example.org" });
      const [first, second] = [await signIn(atHome), await signIn(onTheTrain)];
      expect(await accounts.sessions.endOthers("ada@example.org", second.session)).toBe(1);
      expect(await accounts.sessions.personOf(first.session)).toBeUndefined();
      expect(await accounts.sessions.personOf(second.session)).toMatchObject({ name: "ada@example.org" });
      expect(await accounts.sessions.personOf(eve.session)).toMatchObject({ name: "eve@example.org" });
    });

    it("a second factor and an identity of the provider belong to their account, and go with it", async () => {
      await invited("ada@example.org");
      const keyed = new Accounts(place.rows, clock, quickLimits, { sealKeys: async () => [Buffer.alloc(32, 1)] });
      const { secondFactor } = keyed;
      await secondFactor.begin("ada@example.org");
      await place.rows.run("UPDATE holdfast.totp SET confirmed = 1");
      const code = "AAAA-BBBB-CCCC-DDDD";
      const hash = createHash("sha256")
        .update(`ada@example.org ${code.replaceAll("-", "")}`)
        .digest("base64url");
      await place.rows.run("INSERT INTO holdfast.recovery_code VALUES ($1, $2)", hash, "ada@example.org");
      const step = await keyed.signIn("ada@example.org", password, atHome);
      if (step.kind !== "second-step") throw new Error(step.kind);
      expect(await keyed.finishSignIn(step.ticket, "000000", atHome)).toEqual({ kind: "wrong" });
      expect(await keyed.finishSignIn(step.ticket, code, atHome)).toMatchObject({ kind: "signed-in" });
      expect(await keyed.finishSignIn(step.ticket, code, atHome)).toEqual({ kind: "expired" });
      const renewed = await secondFactor.renewCodes("ada@example.org", code);
      expect(renewed, "a used code").toEqual({ kind: "wrong" });

      const identity = { issuer: "https://login.test", subject: "7", email: "ada@example.org", isVerified: true };
      const given = { roles: { 1: "viewer" }, sessionMs: 1_000 } as const;
      const entry = await keyed.signInByProvider({ ...identity, name: "Ada", groups: [] }, given, atHome);
      if (entry.kind !== "signed-in") throw new Error(entry.kind);
      expect(await keyed.sessions.personOf(entry.session)).toEqual({ name: "ada@example.org", roles: { 1: "viewer" } });
      now += 1_001;
      expect(await keyed.sessions.personOf(entry.session)).toBeUndefined();
      await keyed.remove("ada@example.org");
      for (const table of ["totp", "recovery_code", "sign_in_step", "identity"])
        expect(await place.rows.all(`SELECT email FROM holdfast.${table}`), table).toEqual([]);
    });

    it("a new password needs the old one, and ends all other sessions and forgets other browsers", async () => {
      const first = await invited("ada@example.org");
      const other = await signIn(onTheTrain);
      const from = { ...atHome, device: first.device, session: first.session };
      const change = (old: string, wanted: string) =>
        accounts.own.changePassword("ada@example.org", { old, wanted }, from);
      expect(await change(password, "short")).toEqual({ kind: "short-password", least: 15 });
      expect(await change(password, "x".repeat(1_025))).toEqual({ kind: "long-password", most: 1_024 });
      expect(await change("wrong", better)).toEqual({ kind: "wrong" });
      expect(await accounts.sessions.personOf(other.session)).toBeDefined();
      expect(await change(password, better)).toEqual({ kind: "changed" });
      expect(await accounts.sessions.personOf(first.session)).toBeDefined();
      expect(await accounts.sessions.personOf(other.session)).toBeUndefined();
      expect(await accounts.signIn("ada@example.org", password, atHome)).toEqual({ kind: "wrong" });
      expect(await signIn({ ...onTheTrain, device: other.device }, better), "forgotten").not.toMatchObject({
        device: other.device,
      });
      expect(await signIn(from, better), "still known").toMatchObject({ device: first.device });
    });

    it("guessing the old password waits as at the sign-in, and counts together with it", async () => {
      const { session } = await invited("ada@example.org");
      const from = { ...atHome, session };
      for (let tries = 0; tries < 6; tries++)
        await accounts.own.changePassword("ada@example.org", { old: "wrong", wanted: better }, from);
      const answer = await accounts.own.changePassword("ada@example.org", { old: password, wanted: better }, from);
      expect(answer).toEqual({ kind: "wait", seconds: 1 });
      expect(await accounts.signIn("ada@example.org", password, atHome)).toEqual({ kind: "wait", seconds: 1 });
    });

    it("wrong passwords are one line per account and quarter of an hour, with their number", async () => {
      await invited("ada@example.org");
      const log = new RefusalLog(place.rows, clock);
      for (let tries = 0; tries < 3; tries++) await accounts.signIn("ada@example.org", "wrong", atHome);
      for (let tries = 0; tries < 2; tries++) await accounts.signIn(`made-up-${tries}@example.org`, "x", atHome);
      expect(await log.recent(1, 9)).toEqual([
        { at: now, count: 2, why: "wrong password", who: undefined },
        { at: now, count: 3, why: "wrong password", who: "ada@example.org" },
      ]);
      now += quarterMs;
      await accounts.signIn("ada@example.org", "wrong", atHome);
      expect(await log.recent(1, 1)).toEqual([{ at: now, count: 1, why: "wrong password", who: "ada@example.org" }]);
    });

    it("a project shows refusals of its own and of its people, and of nobody else", async () => {
      const log = new RefusalLog(place.rows, clock);
      const secret = (await accounts.invites.createForProject(2, "viewer", "max@example.org")) ?? "";
      await accounts.accept(secret, { email: "", password }, atHome);
      await accounts.signIn("max@example.org", "wrong", atHome);
      await log.add({ who: "eve@example.org", project: 1, why: "no role in this project" });
      expect(await log.recent(1, 9)).toMatchObject([{ who: "eve@example.org", project: 1 }]);
      expect(await log.recent(2, 9)).toMatchObject([{ who: "max@example.org", why: "wrong password" }]);
    });

    it("at most 10,000 lines of refusals are stored, the newest", { timeout: 60_000 }, async () => {
      const log = new RefusalLog(place.rows, clock);
      await place.rows.run(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10005)
         INSERT INTO holdfast.refusal (quarter, who, project, why, count, at) SELECT n, '', 1, 'x', 1, n FROM numbers`,
      );
      await log.add({ who: "ada", project: 1, why: "y" });
      const [row] = await place.rows.all<{ n: number; first: number }>(
        "SELECT count(*) AS n, min(at) AS first FROM holdfast.refusal",
      );
      expect(Number(row?.n)).toBe(10_000);
      expect(Number(row?.first)).toBe(7);
    });
  });
}

describe("the file of accounts", () => {
  it("of the version before gets the new columns, and keeps its people", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-own-"));
    mkdirSync(folder, { recursive: true });
    const before = new DatabaseSync(join(folder, "accounts.db"));
    before.exec(`CREATE TABLE account (email TEXT PRIMARY KEY, password TEXT NOT NULL, roles TEXT NOT NULL) STRICT;
      CREATE TABLE session (hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
        began INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
      INSERT INTO account VALUES ('ada@example.org', 'hash', '"owner"');
      INSERT INTO session VALUES ('s', 'ada@example.org', 5, 5);`);
    before.close();
    for (const _time of [1, 2]) {
      const rows = openDatabase(folder);
      now = 10;
      const accounts = new Accounts(rows, clock, quickLimits);
      expect(await accounts.all()).toEqual([{ email: "ada@example.org", name: undefined, roles: "owner" }]);
      expect(await accounts.sessions.of("ada@example.org", undefined)).toMatchObject([{ device: undefined, began: 5 }]);
      await rows.close();
    }
    rmSync(folder, { recursive: true });
  });
});

describe("the name of a device", () => {
  it.each([
    [firefox, "Firefox on Linux"],
    [safari, "Safari on iPhone"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
      "Chrome on Android",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
      "Safari on macOS",
    ],
    ["curl/8.0", undefined],
    [undefined, undefined],
  ])("%s is %s", (userAgent, name) => expect(deviceNameOf(userAgent)).toBe(name));

  it.each([
    ["192.0.2.17", "192.0.2.x"],
    ["::ffff:192.0.2.17", "192.0.2.x"],
    ["2001:DB8:1:2::7", "2001:db8:1::"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::"],
    ["::1", "this machine"],
    ["127.0.0.1", "this machine"],
    ["unknown", undefined],
  ])("the network of %s is %s", (address, network) => expect(networkOf(address)).toBe(network));
});
