import { expect } from "vitest";
import { startIdentityProvider, type TestIdentityProvider } from "../../kit/identity-provider.ts";
import { application, journeyThrough, runHoldfast, startApp } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";

const app = application({
  "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }`,
});

let work: TestIdentityProvider;

const test = journeyThrough(async () => {
  work = await startIdentityProvider();
  const running = await startApp({
    app,
    env: {
      HOLDFAST_OIDC_ISSUER: work.issuer,
      HOLDFAST_OIDC_CLIENT_ID: "holdfast",
      HOLDFAST_OIDC_CLIENT_SECRET: "secret-of-holdfast",
      HOLDFAST_OIDC_NAME: "Work",
      HOLDFAST_OIDC_SCOPES: "openid email profile groups",
      HOLDFAST_OIDC_ROLES: '{"admins":"owner","web":{"1":"member"}}',
    },
  });
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
