import { join } from "node:path";
import { expect } from "vitest";
import { codeOfStep } from "../../../src/service/accounts/second-factor/totp.ts";
import { application, journey, runHoldfast, withoutJavaScript } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";

const app = application({
  "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }`,
});
const test = journey({ app });
const password = "several words to remember";

test("the link in the terminal creates the first owner, once; then they sign in and out", async ({ app, visit }) => {
  const link = /Console {2}http:\/\/[^/]+(\/_holdfast\/welcome\/\S+)/.exec(app.log)?.[1] ?? "";
  expect(link).not.toBe("");
  const stranger = await visit("/_holdfast", withoutJavaScript);
  expect(stranger.address).toBe("/_holdfast/sign-in");

  expect(await stranger.page.locator("meta[name=robots]").getAttribute("content"), "what a robot gets").toBe("noindex");
  const visitor = await visit(link);
  await breaksNoRule(visitor, "welcome");
  await visitor.page.getByLabel("E-mail address").fill("ada@example.org");
  await visitor.page.getByLabel("Password").fill("short");
  visitor.expecting(/422/);
  await visitor.pressButton("Begin");
  await visitor.page.getByText("At least 15 characters", { exact: false }).waitFor();
  await visitor.page.getByLabel("Password").fill(password);
  await visitor.pressButton("Begin");
  await visitor.page.locator("main.overview").waitFor();
  await visitor.page.getByText("ada@example.org").waitFor();
  expect((await fetch(app.url + link)).status).toBe(404);

  await visitor.page.getByText("ada@example.org").click();
  await visitor.pressButton("Sign out");
  await visitor.sees("Sign in to the console");
  await breaksNoRule(visitor, "sign-in");
  await visitor.goTo("/_holdfast/1/issues?tab=muted");
  expect(visitor.address).toBe("/_holdfast/sign-in?to=%2F_holdfast%2F1%2Fissues%3Ftab%3Dmuted");
  await visitor.page.getByLabel("E-mail address").fill("ada@example.org");
  await visitor.page.getByLabel("Password").fill(password);
  await visitor.pressButton("Sign in");
  await visitor.sees("Issues");
  expect(visitor.address).toBe("/_holdfast/1/issues?tab=muted");

  await stranger.goTo("/_holdfast/sign-in?to=https://evil.test/_holdfast/1");
  await stranger.page.getByLabel("E-mail address").fill("ada@example.org");
  await stranger.page.getByLabel("Password").fill(password);
  await stranger.pressButton("Sign in");
  await stranger.page.locator("main.overview").waitFor();
  const cookies = (await stranger.page.context().cookies()).filter(({ name }) => name.startsWith("__Host-"));
  const closed = { httpOnly: true, secure: true };
  expect(cookies.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
    { name: "__Host-holdfast-console", ...closed, sameSite: "Lax", expires: -1 },
    { name: "__Host-holdfast-device", ...closed, sameSite: "Strict" },
  ]);

  // Guesses slow down the guesser, and not the browser that has opened the account before.
  const guess = async (): Promise<[number, string | null]> => {
    const body = new URLSearchParams({ email: "ada@example.org", password: "wrong" });
    const { status, headers } = await fetch(`${app.url}/_holdfast/sign-in/_action/signIn`, { method: "POST", body });
    return [status, headers.get("retry-after")];
  };
  expect(await guess()).toEqual([422, null]);
  // At once: on a busy machine, checks of passwords one after the other are slow enough to be allowed.
  const guesses = await Promise.all(Array.from({ length: 20 }, guess));
  expect(guesses).toContainEqual([429, expect.stringMatching(/^\d+$/)]);
  await visitor.page.getByText("ada@example.org").click();
  await visitor.pressButton("Sign out");
  await visitor.page.getByLabel("E-mail address").fill("ada@example.org");
  await visitor.page.getByLabel("Password").fill(password);
  await visitor.pressButton("Sign in");
  await visitor.page.locator("main.overview").waitFor();
});

test("a person invited from the terminal has that role; a removed person is refused with the next request", async ({
  app,
  visit,
}) => {
  const data = join(app.dataFolder, "data");
  const invite = await runHoldfast([
    "user",
    "invite",
    "vera@example.org",
    "--role",
    "viewer",
    "--project",
    "1",
    "--data",
    data,
  ]);
  const link = new URL(invite.log.trim()).pathname;
  const visitor = await visit(link, withoutJavaScript);
  await visitor.page.getByLabel("Password").fill(password);
  await visitor.pressButton("Begin");
  await visitor.page.locator("main.overview").waitFor();
  expect((await runHoldfast(["user", "list", "--data", data])).log).toContain('vera@example.org  {"1":"viewer"}');
  expect((await runHoldfast(["user", "remove", "vera@example.org", "--data", data])).log).toContain("can no longer");
  await visitor.goTo("/_holdfast/1/issues");
  expect(visitor.address).toBe("/_holdfast/sign-in?to=%2F_holdfast%2F1%2Fissues");
});

test("a second factor is set up in the settings, and asked for after the password", async ({ app, visit }) => {
  const data = join(app.dataFolder, "data");
  const invite = await runHoldfast(["user", "invite", "grace@example.org", "--data", data]);
  const visitor = await visit(new URL(invite.log.trim()).pathname);
  await visitor.page.getByLabel("Password").fill(password);
  await visitor.pressButton("Begin");
  await visitor.page.locator("main.overview").waitFor();

  await visitor.goTo("/_holdfast/1/me/second-factor");
  await breaksNoRule(visitor, "second factor");
  const [key = ""] = await visitor.page.locator("code.dsn").allInnerTexts();
  await visitor.page.getByLabel("Code that the app shows").fill(codeOfApp(key));
  await visitor.pressButton("Turn it on");
  const codes = visitor.page.locator(".recovery-codes code");
  await expect.poll(() => codes.count()).toBe(10);
  const [recoveryCode = ""] = await codes.allInnerTexts();

  await visitor.page.getByText("grace@example.org").click();
  await visitor.pressButton("Sign out");
  const signIn = async (): Promise<void> => {
    await visitor.page.getByLabel("E-mail address").fill("grace@example.org");
    await visitor.page.getByLabel("Password").fill(password);
    await visitor.pressButton("Sign in");
  };
  await signIn();
  await visitor.sees("Second factor");
  await breaksNoRule(visitor, "code");
  visitor.expecting(/422/);
  await visitor.page.getByLabel("Code of your app").fill("123");
  await visitor.pressButton("Sign in");
  await visitor.page.getByText("This code is wrong, or was used already.", { exact: false }).waitFor();
  await visitor.page.getByLabel("Code of your app").fill(recoveryCode);
  await visitor.pressButton("Sign in");
  await visitor.page.locator("main.overview").waitFor();

  const reset = await runHoldfast(["user", "reset-second-factor", "grace@example.org", "--data", data]);
  expect(reset.log).toContain("grace@example.org has no second factor any more.");
  await visitor.page.getByText("grace@example.org").click();
  await visitor.pressButton("Sign out");
  await signIn();
  await visitor.page.locator("main.overview").waitFor();
});

/** The code that an app with this key shows now. */
function codeOfApp(key: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...key.replace(/\s/g, "")].map((char) => alphabet.indexOf(char).toString(2).padStart(5, "0")).join("");
  const secret = Buffer.from((bits.match(/\d{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return codeOfStep(secret, Math.floor(Date.now() / 30_000));
}
