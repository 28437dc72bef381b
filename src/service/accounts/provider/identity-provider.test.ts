import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startIdentityProvider, type TestIdentityProvider } from "../../../../tests/kit/identity-provider.ts";
import { openSignInApi, type ProviderApi, type ProviderEntry, type SignInApi } from "../../console-api/access-api.ts";
import type { Rows } from "../../rows/rows.ts";
import { Accounts } from "../accounts.ts";
import type { Applicant } from "../applicant.ts";
import { accountLimits } from "../limits.ts";
import { openDatabase } from "../open-database.ts";
import { IdentityProvider } from "./identity-provider.ts";
import { signInSettingsOf } from "./sign-in-settings.ts";

const back = new URL("http://localhost:4600/_holdfast/sign-in/back");
const here: Applicant = { address: "192.0.2.1" };
const limits = { ...accountLimits, triesBurst: 1_000, passwordCost: { N: 16, r: 8, p: 1 } };

const usual = {
  HOLDFAST_OIDC_CLIENT_ID: "holdfast",
  HOLDFAST_OIDC_NAME: "Work",
  HOLDFAST_OIDC_SCOPES: "openid email profile groups",
  HOLDFAST_OIDC_ROLES: JSON.stringify({ web: { 1: "member" }, admins: "owner" }),
};

function fail(): never {
  throw new Error("There is no provider.");
}

describe("signing in by an identity provider", { timeout: 60_000 }, () => {
  let idp: TestIdentityProvider;
  let folder: string;
  let rows: Rows;
  let aheadMs = 0;
  /** Replaces the answer of the token endpoint, as an attacker on the way would. */
  let tamper: ((body: Record<string, unknown>) => unknown) | undefined;
  let log: string[];
  let audit: { by: string; what: string }[];
  let accounts: Accounts;
  let api: SignInApi | undefined;
  let provider: ProviderApi;

  beforeAll(async () => {
    idp = await startIdentityProvider();
    folder = mkdtempSync(join(tmpdir(), "holdfast-oidc-"));
    rows = openDatabase(folder);
  });

  afterAll(async () => {
    await rows.close();
    await idp[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  beforeEach(async () => {
    [aheadMs, tamper, log, audit] = [0, undefined, [], []];
    await rows.run("DELETE FROM holdfast.account");
    idp.people.ada = { email: "Ada@example.org", email_verified: true, name: "Ada Lovelace", groups: ["web", "ops"] };
    open({});
  });

  function open(environment: NodeJS.ProcessEnv, clientId = "holdfast"): void {
    const clock = { now: () => Date.now() + aheadMs, elapsed: () => performance.now() };
    const signIn = signInSettingsOf({
      ...usual,
      HOLDFAST_OIDC_ISSUER: idp.issuer,
      HOLDFAST_OIDC_CLIENT_ID: clientId,
      HOLDFAST_OIDC_CLIENT_SECRET: `secret-of-${clientId}`,
      ...environment,
    });
    accounts = new Accounts(rows, clock, limits, { signIn });
    const asked: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      if (tamper === undefined || !String(request[0]).endsWith("/token")) return response;
      return Response.json(tamper((await response.json()) as Record<string, unknown>));
    };
    const opened = new IdentityProvider({
      settings: signIn.provider ?? fail(),
      clock,
      limits,
      log: (line) => log.push(line),
      fetch: asked as never,
    });
    const administration = { record: async (entry: { by: string; what: string }) => void audit.push(entry) };
    api = openSignInApi({ kind: "accounts", accounts, provider: opened }, { administration, projects: () => [1, 2] });
    provider = api?.provider ?? fail();
  }

  /** Goes to the provider and returns, and tells what came back. */
  async function visitProvider(person = "ada"): Promise<{ returned: URL; pending: string }> {
    const begun = await provider.begin(back, "/_holdfast/1/issues", here);
    if (begun.kind !== "begun") throw new Error(begun.kind);
    return { returned: await idp.signIn(begun.address, person), pending: begun.pending };
  }

  async function signIn(person?: string): Promise<ProviderEntry> {
    const { returned, pending } = await visitProvider(person);
    return provider.finish(returned, pending, here);
  }

  async function rolesOf(entry: ProviderEntry): Promise<unknown> {
    if (entry.kind !== "signed-in") return entry.kind;
    return (await accounts.sessions.personOf(entry.session))?.roles;
  }

  it("the first sign-in makes the account, with the roles of the groups, the name and the wanted page", async () => {
    const entry = await signIn();
    expect(entry).toMatchObject({ kind: "signed-in", to: "/_holdfast/1/issues" });
    expect(await accounts.all()).toEqual([{ email: "ada@example.org", name: "Ada Lovelace", roles: { 1: "member" } }]);
    expect(audit).toEqual([{ by: "ada@example.org", what: 'has the roles {"1":"member"} by the groups of Work' }]);
    // Such an account has no password that could be guessed.
    expect(await accounts.own.hasPassword("ada@example.org")).toBe(false);
    expect(await accounts.signIn("ada@example.org", "", here)).toEqual({ kind: "wrong" });
  });

  it("changed groups change the role at the next sign-in, and a person in no group is refused everywhere", async () => {
    idp.people.ada = { ...idp.people.ada, groups: ["admins"] };
    const first = await signIn();
    expect(await rolesOf(first)).toBe("owner");
    idp.people.ada = { ...idp.people.ada, groups: ["web"] };
    const second = await signIn();
    expect(await rolesOf(second)).toEqual({ 1: "member" });
    expect(await rolesOf(first)).toEqual({ 1: "member" });
    idp.people.ada = { ...idp.people.ada, groups: ["gardeners"] };
    expect(await signIn()).toEqual({ kind: "no-role" });
    expect(await rolesOf(second)).toBeUndefined();
    expect(audit.at(-1)).toEqual({ by: "ada@example.org", what: "has the roles {} by the groups of Work" });
    // A person who never had an account does not get one.
    idp.people.eve = { email: "eve@example.org", email_verified: true };
    expect(await signIn("eve")).toEqual({ kind: "no-role" });
    expect((await accounts.all()).map(({ email }) => email)).toEqual(["ada@example.org"]);
  });

  it("a session of the provider ends after its hours, used or not", async () => {
    open({ HOLDFAST_OIDC_SESSION_HOURS: "2" });
    const entry = await signIn();
    aheadMs = 1.9 * 3_600_000;
    expect(await rolesOf(entry)).toEqual({ 1: "member" });
    aheadMs = 2.1 * 3_600_000;
    expect(await rolesOf(entry)).toBeUndefined();
  });

  it("an owner ends the sessions of a member of the project, and of no other person", async () => {
    const entry = await signIn();
    expect(await api?.endSessions(2, "ada@example.org", "eve@example.org")).toBe(false);
    expect(await rolesOf(entry)).toEqual({ 1: "member" });
    expect(await api?.endSessions(1, "ada@example.org", "eve@example.org")).toBe(true);
    expect(await rolesOf(entry)).toBeUndefined();
    expect(audit.at(-1)).toEqual({ by: "eve@example.org", project: 1, what: "ended all sessions of ada@example.org" });
  });

  it("an existing account is opened only by an address that the provider has verified", async () => {
    const password = "correct horse battery";
    await accounts.accept(await accounts.invites.create("owner"), { email: "ada@example.org", password }, here);
    idp.people.ada = { email: "ada@example.org", groups: ["web"] };
    expect(await signIn()).toEqual({ kind: "unverified" });
    idp.people.ada = { email: "ada@example.org", email_verified: false, groups: ["web"] };
    expect(await signIn()).toEqual({ kind: "no-email" });
    idp.people.ada = { email: "ada@example.org", email_verified: true, groups: ["admins"] };
    expect(await rolesOf(await signIn())).toBe("owner");
    // The provider knows a person by more than the address.
    idp.people.ada = { email: "ada.king@example.org", email_verified: true, groups: ["admins"] };
    expect(await rolesOf(await signIn())).toBe("owner");
    expect((await accounts.all()).map(({ email }) => email)).toEqual(["ada@example.org"]);
  });

  it("a key that the provider has replaced is accepted from then on, and the key before is not", async () => {
    const before = await tokenOf();
    expect(await finishWith(before), "its own token, once more").toMatchObject({ kind: "signed-in" });
    idp.rotateKeys();
    expect(await signIn()).toMatchObject({ kind: "signed-in" });
    expect(await finishWith(before)).toEqual({ kind: "refused" });
    expect(log.at(-1)).toMatch(/key/);
  });

  it("a token that the provider has signed for another client is refused", async () => {
    open({}, "other");
    const foreign = await tokenOf();
    open({});
    expect(await finishWith(foreign)).toEqual({ kind: "refused" });
    expect(log.at(-1)).toMatch(/aud/);
  });

  it("a code works once, only in the browser that asked for it, and only with its state", async () => {
    const { returned, pending } = await visitProvider();
    const other = await visitProvider();
    expect(await provider.finish(returned, undefined, here)).toEqual({ kind: "refused" });
    expect(await provider.finish(returned, "nonsense", here)).toEqual({ kind: "refused" });
    expect(await provider.finish(returned, other.pending, here), "a sign-in of another browser").toEqual({
      kind: "refused",
    });
    const tampered = new URL(returned);
    tampered.searchParams.set("state", `${returned.searchParams.get("state")}x`);
    expect(await provider.finish(tampered, pending, here)).toEqual({ kind: "refused" });
    expect(await provider.finish(returned, pending, here)).toMatchObject({ kind: "signed-in" });
    expect(await provider.finish(returned, pending, here), "the code again").toEqual({ kind: "refused" });
  });

  it("clocks may differ by a minute, and no more", async () => {
    for (const seconds of [-50, 50]) {
      aheadMs = seconds * 1_000;
      expect(await signIn()).toMatchObject({ kind: "signed-in" });
    }
    for (const seconds of [-120, 2 * 3_600]) {
      aheadMs = seconds * 1_000;
      expect(await signIn()).toEqual({ kind: "clock" });
    }
    expect(log.at(-1)).toBe("The clocks of Work and of this machine differ by more than 60 s.");
  });

  it("a provider that is away is said to be, and asked again by the next sign-in", async () => {
    idp.fail(true);
    expect(await provider.begin(back, undefined, here)).toEqual({ kind: "unavailable" });
    expect(await provider.endSessionAddress(back)).toBeUndefined();
    idp.fail(false);
    const { returned, pending } = await visitProvider();
    idp.fail(true);
    expect(await provider.finish(returned, pending, here)).toEqual({ kind: "unavailable" });
    idp.fail(false);
    expect(await signIn()).toMatchObject({ kind: "signed-in" });
    expect(await provider.endSessionAddress(back)).toMatch(/\/session\/end\?.*client_id=holdfast/);
    const denied = new URL(`?error=access_denied&state=${fieldsIn(pending).state}&iss=${idp.issuer}`, back);
    expect(await provider.finish(denied, pending, here)).toEqual({ kind: "denied" });
  });

  it("a client that begins again and again waits, and others do not", async () => {
    const settings = { ...usual, HOLDFAST_OIDC_ISSUER: idp.issuer };
    const strict = new IdentityProvider({
      settings: signInSettingsOf(settings).provider ?? fail(),
      clock: { now: Date.now, elapsed: () => 0 },
      limits: accountLimits,
      log: () => undefined,
    });
    for (let turn = 0; turn < accountLimits.triesBurst; turn += 1)
      expect(await strict.begin(back, undefined, here)).toMatchObject({ kind: "begun" });
    expect(await strict.begin(back, undefined, here)).toMatchObject({ kind: "wait" });
    expect(await strict.begin(back, undefined, { address: "198.51.100.7" })).toMatchObject({ kind: "begun" });
  });

  it("without passwords only the provider and the link of the operator let people in", async () => {
    open({ HOLDFAST_PASSWORDS: "off" });
    const password = "correct horse battery";
    const link = await accounts.invites.create("owner", "root@example.org");
    expect(await accounts.accept(link, { email: "", password }, here)).toMatchObject({ kind: "signed-in" });
    expect(await accounts.signIn("root@example.org", password, here)).toEqual({ kind: "passwords-off" });
    const join = (await accounts.invites.createForProject(1, "viewer", "eve@example.org")) ?? "";
    expect(await accounts.accept(join, { email: "", password }, here)).toEqual({ kind: "passwords-off" });
    expect(await signIn()).toMatchObject({ kind: "signed-in" });
  });

  /** A token of the provider, and the nonce in it. */
  async function tokenOf(): Promise<{ token: unknown; nonce: unknown }> {
    let token: unknown;
    tamper = (body) => {
      token = body.id_token;
      return body;
    };
    const { returned, pending } = await visitProvider();
    await provider.finish(returned, pending, here);
    tamper = undefined;
    return { token, nonce: fieldsIn(pending).nonce };
  }

  /** A sign-in that gets this token in place of its own. Its nonce fits, so that only the token is wrong. */
  async function finishWith({ token, nonce }: { token: unknown; nonce: unknown }): Promise<ProviderEntry> {
    const { returned, pending } = await visitProvider();
    tamper = (body) => ({ ...body, id_token: token });
    const forged = Buffer.from(JSON.stringify({ ...fieldsIn(pending), nonce })).toString("base64url");
    const entry = await provider.finish(returned, forged, here);
    tamper = undefined;
    return entry;
  }

  function fieldsIn(pending: string): Record<string, unknown> {
    return JSON.parse(Buffer.from(pending, "base64url").toString()) as Record<string, unknown>;
  }
});
