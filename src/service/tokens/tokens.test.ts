import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import { Accounts } from "../accounts/accounts.ts";
import { accountLimits } from "../accounts/limits.ts";
import { openDatabase } from "../accounts/open-database.ts";
import { isAtLeast, type Roles, roleIn } from "../accounts/people.ts";
import { RefusalLog } from "../accounts/refusal-log.ts";
import type { AuditEntry, AuditLog } from "../administration/audit-log.ts";
import { dayMs } from "../clock.ts";
import type { Rows } from "../rows/rows.ts";
import { connect } from "../stores/postgres/connect/connections.ts";
import { postgresLimits } from "../stores/postgres/limits.ts";
import { migrate } from "../stores/postgres/migrations/migrate.ts";
import { postgresRows } from "../stores/postgres/shared/postgres-rows.ts";
import { tokenLimits, tokenLimitsOf } from "./limits.ts";
import { allScopes, permits, type Scope } from "./scopes.ts";
import type { TokenOwner } from "./token.ts";
import { mayUpload } from "./token-grant.ts";
import { Tokens } from "./tokens.ts";

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

let now = 1_000_000;
const clock = { now: () => now, elapsed: () => now };
const here = "192.0.2.1";
const elsewhere = "198.51.100.7";
const ada = { kind: "person", email: "ada@example.org" } as const;
const shop = { kind: "project", project: 2 } as const;
const market = { kind: "project", project: 3 } as const;

describeTokens("in a data folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-tokens-"));
  return {
    open: async () => openDatabase(folder),
    bytes: () => readFileSync(join(folder, "accounts.db")).toString("latin1"),
    remove: async () => rmSync(folder, { recursive: true }),
  };
});

describeTokens("in PostgreSQL", async () => {
  const address = await postgres.newDatabase(prepared);
  return {
    open: async () => postgresRows((await connect(address, postgresLimits)).shared),
    bytes: undefined,
    remove: async () => undefined,
  };
});

interface Place {
  open(): Promise<Rows>;
  bytes: (() => string) | undefined;
  remove(): Promise<void>;
}

function describeTokens(where: string, makePlace: () => Promise<Place>): void {
  describe(`tokens ${where}`, { timeout: 60_000 }, () => {
    let place: Place;
    let rows: Rows;
    let tokens: Tokens;
    /** Of another process. */
    let others: { rows: Rows; tokens: Tokens };
    let recorded: AuditEntry[];
    const audit: AuditLog = { add: async (entry) => void recorded.push(entry), recent: async () => recorded };

    const tokensIn = (at: Rows, limits = tokenLimits) =>
      new Tokens({ rows: at, clock, limits, audit, refusals: new RefusalLog(at, clock) });

    beforeEach(async () => {
      now = 1_000_000;
      recorded = [];
      place = await makePlace();
      rows = await place.open();
      tokens = tokensIn(rows);
      const otherRows = await place.open();
      others = { rows: otherRows, tokens: tokensIn(otherRows) };
      await haveAccount(ada.email, { 1: "viewer", 2: "owner" });
    });

    afterEach(async () => {
      await rows.close();
      await others.rows.close();
      await place.remove();
    });

    async function haveAccount(email: string, roles: Roles): Promise<void> {
      await rows.run(
        "INSERT INTO holdfast.account (email, password, roles) VALUES ($1, 'hash', $2)",
        email,
        JSON.stringify(roles),
      );
    }

    async function made(owner: TokenOwner, name: string, scopes: readonly Scope[], expires?: number): Promise<string> {
      const created = await tokens.create(owner, { name, scopes, expires }, "ada@example.org");
      return created.kind === "created" ? created.secret : expect.fail(created.why);
    }

    it("a token is returned once, and only its hash is stored", async () => {
      const secret = await made(shop, "ci", ["triage", "read"]);
      expect(secret).toMatch(/^hft_[\w-]{43}$/);
      const listed = await tokens.list(shop);
      expect(listed).toMatchObject([{ name: "ci", scopes: ["read", "triage"], created: now, by: ada.email }]);
      expect(JSON.stringify(listed)).not.toContain(secret.slice(4));
      await rows.run("UPDATE holdfast.account SET roles = roles");
      expect(place.bytes?.() ?? "").not.toContain(secret.slice(4));
      expect(recorded).toEqual([{ at: now, by: ada.email, project: 2, what: "made the token ci (read, triage)" }]);
      expect(JSON.stringify(recorded)).not.toContain(secret.slice(4));
    });

    it("a revoked token is refused by the next request of every process", async () => {
      const secret = await made(shop, "ci", ["read"]);
      expect(await others.tokens.admit(secret, here)).toMatchObject({ kind: "granted", grant: { name: "ci" } });
      const [token] = await tokens.list(shop);
      const id = token?.id ?? 0;
      expect(await tokens.revoke({ kind: "project", project: 1 }, id, "eve@example.org")).toBe(false);
      expect(await tokens.revoke(ada, id, "eve@example.org")).toBe(false);
      expect(await tokens.revoke(shop, id, "ada@example.org")).toBe(true);
      expect(await others.tokens.admit(secret, here)).toEqual({ kind: "unknown" });
      expect(recorded.at(-1)).toMatchObject({ project: 2, what: "revoked the token ci" });
      expect(await new RefusalLog(rows, clock).recent(2, 9)).toMatchObject([{ why: "unknown or revoked token" }]);
    });

    it("a person who was demoted or removed loses it at once, and a new account of the address gets none", async () => {
      const accounts = new Accounts(others.rows, clock, { ...accountLimits, passwordCost: { N: 16, r: 8, p: 1 } });
      const secret = await made(ada, "laptop", ["admin"]);
      const roles = async () => (await tokens.find(secret, now))?.person;
      expect(await roles()).toEqual({ name: ada.email, roles: { 1: "viewer", 2: "owner" } });
      await accounts.setRole(2, ada.email, "viewer");
      expect(await roles()).toEqual({ name: ada.email, roles: { 1: "viewer", 2: "viewer" } });
      await accounts.setRole(2, ada.email, undefined);
      expect(await roles()).toEqual({ name: ada.email, roles: { 1: "viewer" } });
      await accounts.remove(ada.email);
      expect(await roles()).toBeUndefined();
      await haveAccount(ada.email, "owner");
      expect(await roles()).toBeUndefined();
      const second = await made(ada, "laptop", ["admin"]);
      const invite = await accounts.invites.create("owner", ada.email);
      const replaced = await accounts.accept(
        invite,
        { email: "", password: "correct horse battery" },
        { address: here },
      );
      expect(replaced).toMatchObject({ kind: "signed-in" });
      expect(await tokens.find(second, now)).toBeUndefined();
    });

    it("a person's token has the weaker of role and scopes, and a project's token those of its project alone", async () => {
      await haveAccount("max@example.org", "member");
      const max = { kind: "person", email: "max@example.org" } as const;
      const strongest = { read: "viewer", triage: "member", upload: undefined, admin: "owner" } as const;
      for (const scope of allScopes) {
        const [ofAda, ofMax, ofShop] = await Promise.all(
          ([ada, max, shop] as const).map(async (owner) => tokens.find(await made(owner, scope, [scope]), now)),
        );
        if (!ofAda || !ofMax || !ofShop) expect.fail("a token is not found");
        const roleOf = (grant: typeof ofAda, project: number) => roleIn(grant.person, project);
        expect(roleOf(ofAda, 1)).toBe(strongest[scope] && "viewer");
        expect(roleOf(ofAda, 2)).toBe(strongest[scope]);
        expect(roleOf(ofMax, 7)).toBe(scope === "admin" ? "member" : strongest[scope]);
        expect([roleOf(ofShop, 2), roleOf(ofShop, 1)]).toEqual([strongest[scope], undefined]);
        expect(ofShop.person.name).toBe(`token ${scope}`);
        const uploads = scope === "upload" || scope === "admin";
        expect([1, 2].map((project) => mayUpload(ofAda, project))).toEqual([false, uploads]);
        expect([1, 2].map((project) => mayUpload(ofShop, project))).toEqual([false, uploads]);
        expect(isAtLeast(roleOf(ofMax, 1), "owner")).toBe(false);
        expect(permits(ofAda.scopes, "admin")).toBe(scope === "admin");
      }
    });

    it("an expired token is refused and stays in the list for a month", async () => {
      const secret = await made(shop, "short", ["read"], now + dayMs);
      now += dayMs - 1;
      expect(await tokens.admit(secret, here)).toMatchObject({ kind: "granted" });
      now += 1;
      expect(await tokens.find(secret, now)).toBeUndefined();
      expect(await tokens.admit(secret, here)).toMatchObject({ kind: "expired" });
      expect(await new RefusalLog(rows, clock).recent(2, 9)).toMatchObject([
        { project: 2, why: "expired token short" },
      ]);
      expect(await tokens.list(shop)).toHaveLength(1);
      now += tokenLimits.keepExpiredMs + 1;
      await made(ada, "any", ["read"]);
      expect(await tokens.list(shop)).toEqual([]);
      expect(await tokens.create(shop, { name: "late", scopes: ["read"], expires: now }, "ada")).toMatchObject({
        kind: "refused",
      });
    });

    it("the last use is written once a minute", async () => {
      const secret = await made(shop, "ci", ["read"]);
      const used = async () => (await tokens.list(shop))[0]?.used;
      expect(await used()).toBeUndefined();
      const first = now;
      await tokens.find(secret, now);
      await tokens.find(secret, now + tokenLimits.usedEveryMs - 1);
      expect(await used()).toBe(first);
      await tokens.find(secret, now + tokenLimits.usedEveryMs);
      expect(await used()).toBe(first + tokenLimits.usedEveryMs);
    });

    it("an address that sends many wrong tokens waits, and tokens that worked before do not", async () => {
      const working = await made(shop, "working", ["read"]);
      const idle = await made(shop, "idle", ["read"]);
      expect(await tokens.admit(working, here)).toMatchObject({ kind: "granted" });
      for (let n = 0; n < tokenLimits.refusedBurst; n++)
        expect(await tokens.admit(`hft_guess${n}`, here)).toEqual({ kind: "unknown" });
      expect(await tokens.admit("hft_guess", here)).toEqual({ kind: "wait", seconds: 5 });
      expect(await tokens.admit(idle, here)).toEqual({ kind: "wait", seconds: 5 });
      expect(await tokens.admit(working, here)).toMatchObject({ kind: "granted" });
      expect(await tokens.admit(idle, elsewhere)).toMatchObject({ kind: "granted" });
      const [line] = await new RefusalLog(rows, clock).recent(2, 9);
      expect(line).toMatchObject({ who: undefined, count: tokenLimits.refusedBurst });
      now += 5_000;
      expect(await tokens.admit("hft_guess", here)).toEqual({ kind: "unknown" });
    });

    it("a code gives a token once, only with the verifier of the program that began, and for two minutes", async () => {
      const verifier = "v".repeat(43);
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      const wish = { email: ada.email, name: "command line on laptop", scopes: ["read"], challenge };
      const begin = async () => (await tokens.logins.begin(wish)) ?? expect.fail("no code");
      const finish = (code: string, by = verifier) => others.tokens.logins.finish(code, by);
      expect(await tokens.logins.begin({ ...wish, challenge: verifier.slice(1) })).toBeUndefined();
      const code = await begin();
      const first = await finish(code);
      if (first.kind !== "created") expect.fail(first.kind);
      expect((await tokens.find(first.secret, now))?.owner).toMatchObject({ email: ada.email });
      expect(await finish(code)).toEqual({ kind: "unknown" });
      expect(await finish(await begin(), "w".repeat(43))).toEqual({ kind: "unknown" });
      const late = await begin();
      now += 120_000;
      expect(await finish(late)).toEqual({ kind: "unknown" });
      const replaced = await begin();
      const last = await begin();
      expect(await finish(replaced)).toEqual({ kind: "unknown" });
      expect(await finish(last)).toMatchObject({ kind: "created" });
      expect(await tokens.list(ada)).toHaveLength(1);
      expect(await tokens.find(first.secret, now)).toBeUndefined();
    });

    it("a person or project has a limited number of tokens, and each name once", async () => {
      const few = tokensIn(rows, { ...tokenLimits, tokensEach: 3 });
      for (const owner of [ada, market]) {
        const names = Array.from({ length: 12 }, (_, n) => `${n % 6}`);
        const wishes = names.map((name) => few.create(owner, { name, scopes: ["read"] }, "ada"));
        const made = (await Promise.all(wishes)).filter(({ kind }) => kind === "created");
        expect([owner, made.length, new Set((await few.list(owner)).map(({ name }) => name)).size]).toEqual([
          owner,
          3,
          3,
        ]);
      }
      expect(await few.create(shop, { name: "a", scopes: ["read"] }, "ada")).toMatchObject({ kind: "created" });
      const refused = async (owner: TokenOwner, name: string, scopes: readonly string[]) => {
        const created = await few.create(owner, { name, scopes }, "ada");
        return created.kind === "refused" ? created.why : undefined;
      };
      expect(await refused(ada, "f", ["read"])).toBe("There are 3 tokens, the most. Revoke one first.");
      expect(await refused(shop, " a ", ["read"])).toBe("There is a token named a already.");
      expect(await refused(shop, " ", ["read"])).toBe("A token needs a name.");
      expect(await refused(shop, "x".repeat(61), ["read"])).toBe("A name has at most 60 characters.");
      expect(await refused(shop, "b", ["root"])).toBe('There is no scope "root", only read, triage, upload, admin.');
      expect(await refused(shop, "b", [])).toBe("A token needs a scope: read, triage, upload, admin.");
      expect(await refused({ kind: "person", email: "eve@example.org" }, "b", ["read"])).toBe(
        "eve@example.org has no account of this service.",
      );
    });
  });
}

it("the operator sets how many tokens there are", () => {
  expect(tokenLimitsOf({}).tokensEach).toBe(50);
  expect(tokenLimitsOf({ HOLDFAST_TOKENS_EACH: "7" }).tokensEach).toBe(7);
  expect(() => tokenLimitsOf({ HOLDFAST_TOKENS_EACH: "many" })).toThrow("is not a whole number above 0");
});
