import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { root } from "../../../scripts/root.js";
import { startIdentityProvider, type TestIdentityProvider } from "../../kit/identity-provider.ts";
import { application, journeyThrough, runHoldfast, startApp } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";

const app = application({
  "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }`,
});

let work: TestIdentityProvider;

function settingsFor({ issuer }: TestIdentityProvider): Record<string, string> {
  return {
    HOLDFAST_OIDC_ISSUER: issuer,
    HOLDFAST_OIDC_CLIENT_ID: "holdfast",
    HOLDFAST_OIDC_CLIENT_SECRET: "secret-of-holdfast",
    HOLDFAST_OIDC_NAME: "Work",
    HOLDFAST_OIDC_SCOPES: "openid email profile groups",
    HOLDFAST_OIDC_ROLES: '{"admins":"owner","web":{"1":"member"}}',
  };
}

const test = journeyThrough(async () => {
  work = await startIdentityProvider();
  const running = await startApp({ app, env: settingsFor(work) });
  return {
    url: running.url,
    get crash() {
      return running.crash;
    },
    stop: async () => {
      await running.stop();
      await work[Symbol.asyncDispose]();
    },
  };
});

test("people sign in with the provider, reach the page that they wanted, and sign out of both", async ({ visit }) => {
  work.people.ada = { email: "ada@example.org", email_verified: true, name: "Ada Lovelace", groups: ["web"] };
  const visitor = await visit("/_holdfast/1/issues?tab=muted");
  await breaksNoRule(visitor, "sign-in");
  // A font of the provider's pages, which need none.
  await visitor.page.route("https://fonts.googleapis.com/**", (route) =>
    route.fulfill({ contentType: "text/css", body: "" }),
  );
  const signIn = async (person: string): Promise<void> => {
    await visitor.page.getByRole("link", { name: "Sign in with Work" }).click();
    await visitor.page.locator("input[name=login]").fill(person);
    await visitor.page.locator("input[name=password]").fill("any");
    await visitor.page.locator("button[type=submit]").click();
  };
  await signIn("ada");
  await visitor.sees("Issues");
  expect(visitor.address).toBe("/_holdfast/1/issues?tab=muted");
  const cookies = await visitor.page.context().cookies();
  expect(cookies.map(({ name }) => name)).not.toContain("__Host-holdfast-sign-in");

  await visitor.page.getByText("Ada Lovelace").click();
  await visitor.pressButton("Sign out");
  await visitor.page.getByRole("link", { name: "Sign out of Work too" }).click();
  await visitor.page.getByRole("button", { name: "Yes, sign me out" }).click();
  await visitor.sees("Sign in to the console");

  work.people.eve = { email: "eve@example.org", email_verified: true, groups: ["gardeners"] };
  await signIn("eve");
  await visitor.page.getByText("None of your groups at Work may see this console.", { exact: false }).waitFor();

  // The way by a password stays while the provider is away.
  work.fail(true);
  await visitor.goTo("/_holdfast/sign-in?to=%2F_holdfast%2F1");
  await visitor.page.getByRole("link", { name: "Sign in with Work" }).click();
  await visitor.page.getByText("Work does not answer at the moment.", { exact: false }).waitFor();
  await visitor.page.getByLabel("Password").waitFor();
  work.fail(false);
});

test("a server with a wrong setting of the provider does not start, and says which", async () => {
  const { code, log } = await runHoldfast(["start", app], {
    HOLDFAST_OIDC_ISSUER: "http://login.example.org",
    PORT: "0",
  });
  expect(code).not.toBe(0);
  expect(log).toContain('HOLDFAST_OIDC_ISSUER "http://login.example.org" is not an address that begins with https://.');
});

test("a standalone service signs people in with the provider: groups are roles, and passwords are off", async () => {
  await using provider = await startIdentityProvider();
  const origin = await startService({ ...settingsFor(provider), HOLDFAST_PASSWORDS: "off" });
  const cookiesOf = ({ headers }: Response): string =>
    headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
  const signIn = async (person: string): Promise<Response> => {
    const begun = await fetch(`${origin}/_holdfast/sign-in/provider?to=%2F_holdfast%2F1%2Fissues`, {
      redirect: "manual",
    });
    const returned = await provider.signIn(begun.headers.get("location") ?? "", person);
    return fetch(returned, { redirect: "manual", headers: { cookie: cookiesOf(begun) } });
  };
  const me = async (cookie: string): Promise<unknown> =>
    (await fetch(`${origin}/_holdfast/api/v1/me`, { headers: { cookie } })).json();

  provider.people.max = { email: "max@example.org", email_verified: true, groups: ["web"] };
  const member = await signIn("max");
  expect([member.status, member.headers.get("location")]).toEqual([303, "/_holdfast/1/issues"]);
  expect(await me(cookiesOf(member))).toMatchObject({ name: "max@example.org", projects: [{ id: 1, role: "member" }] });

  // Another group is another role, in the sessions that he has too. Without one, all of them end.
  provider.people.max = { ...provider.people.max, groups: ["admins"] };
  await signIn("max");
  expect(await me(cookiesOf(member))).toMatchObject({ projects: [{ id: 1, role: "owner" }] });
  provider.people.max = { ...provider.people.max, groups: [] };
  expect((await signIn("max")).headers.get("location")).toContain("/_holdfast/sign-in?problem=");
  expect(await me(cookiesOf(member))).toMatchObject({ code: "api-not-identified" });

  const page = (await (await fetch(`${origin}/_holdfast/sign-in`)).text()).replaceAll("<!-- -->", "");
  expect([page.includes("Sign in with Work"), page.includes('type="password"')]).toEqual([true, false]);
  const typed = await fetch(`${origin}/_holdfast/sign-in/_action/signIn`, {
    method: "POST",
    headers: { origin },
    body: new URLSearchParams({ email: "max@example.org", password: "several words to remember" }),
    redirect: "manual",
  });
  expect([typed.status, cookiesOf(typed).includes("holdfast-console")]).toEqual([422, false]);
});

/** `holdfast service` with an empty data folder, until the test ends. Resolves with its origin. */
async function startService(env: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-provider-"));
  const args = [join(root, "bin/holdfast.js"), "service", "--port", "0", "--data", folder];
  const service = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  onTestFinished(async () => {
    service.kill("SIGTERM");
    await once(service, "exit");
    rmSync(folder, { recursive: true });
  });
  let said = "";
  service.stdout.on("data", (data) => {
    said += data;
  });
  while (!said.includes("Console:")) await once(service.stdout, "data");
  return /listens at (\S+)/.exec(said)?.[1] ?? "";
}
