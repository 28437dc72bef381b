import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { serviceCommands } from "#service";
import { application, journey, onAPhone, type Visitor, withoutJavaScript } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";
import { anError, keyOf } from "./reports.ts";

const test = journey({
  app: application({ "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }` }),
});
const password = "several words to remember";
const better = "other words that are new";
const mine = "/_holdfast/1/me";

async function signIn(visitor: Visitor, email: string, typed: string): Promise<void> {
  await visitor.page.getByLabel("E-mail address").fill(email);
  await visitor.page.getByLabel("Password").fill(typed);
  await visitor.pressButton("Sign in");
}

test("a person chooses a name, which is shown in place of the address wherever people are named", async ({
  app,
  visit,
}) => {
  const link = /Console {2}http:\/\/[^/]+(\/_holdfast\/welcome\/\S+)/.exec(app.log)?.[1] ?? "";
  const ada = await visit(link);
  const { page } = ada;
  await page.getByLabel("E-mail address").fill("ada@example.org");
  await page.getByLabel("Password").fill(password);
  await ada.pressButton("Begin");
  await page.locator("main.overview").waitFor();
  await fetch(`${app.url}/_holdfast/api/1/store/?sentry_key=${keyOf(app, 1)}`, {
    method: "POST",
    body: JSON.stringify(anError()),
  });

  // From the name at the foot of the navigation.
  await ada.isAwake();
  await page.locator(".who > summary").click();
  await page.getByRole("link", { name: "Your settings" }).click();
  await ada.sees("Your settings");
  await expect.poll(() => page.locator(".menu[open]").count()).toBe(0);
  await breaksNoRule(ada, "me");
  await page.getByLabel("Name that others see").fill("ada@example.org");
  ada.expecting(/422/);
  await page.locator("section", { hasText: "Name that others see" }).getByRole("button").click();
  await page.getByText("Letters, digits, spaces and", { exact: false }).waitFor();
  await page.getByLabel("Name that others see").fill("Ada Lovelace");
  await page.locator("section", { hasText: "Name that others see" }).getByRole("button").click();
  await page.getByText("Others see this name from now on.").waitFor();
  await page.locator(".who", { hasText: "AL" }).waitFor();

  await expect
    .poll(async () => {
      await ada.goTo("/_holdfast/1/issues/1");
      return page.getByRole("button", { name: "Assign to me" }).count();
    })
    .toBe(1);
  await page.getByRole("button", { name: "Assign to me" }).click();
  await page.getByText("1 issue assigned to Ada Lovelace.").waitFor();
  await page.locator("summary", { hasText: "More" }).click();
  await page.getByLabel("To, empty for nobody").fill("adda");
  await page.getByLabel("To, empty for nobody").press("Enter");
  await page.getByText('Nobody here is called "adda". Known: Ada Lovelace', { exact: false }).waitFor();
  await page.getByLabel("To, empty for nobody").fill("ada lovelace");
  await page.getByLabel("To, empty for nobody").press("Enter");
  await page.getByText("1 issue assigned to Ada Lovelace.").waitFor();
  await page.getByLabel("Comment").fill("I look at it.");
  await page.getByRole("button", { name: "Comment" }).click();
  const activity = page.locator("section", { hasText: "Activity" }).getByRole("listitem");
  await expect.poll(async () => (await activity.allInnerTexts()).join("\n")).toMatch(/Ada Lovelace wrote/);
  expect((await activity.allInnerTexts()).join("\n")).toMatch(/Ada Lovelace assigned it to Ada Lovelace/);
  expect(await page.locator("main").textContent()).not.toContain("ada@example.org");
  await ada.goTo("/_holdfast/1/issues");
  await page.locator("tbody .initials[title='Ada Lovelace']").first().waitFor({ state: "attached" });
  await ada.goTo("/_holdfast/1/settings");
  await page.getByRole("rowheader", { name: "Ada Lovelace ada@example.org (you)" }).waitFor();
});

test("sessions are a list: one is ended, a new password ends the others, and signing out everywhere ends all", async ({
  visit,
}) => {
  const [home, phone, train] = [
    await visit("/_holdfast"),
    await visit("/_holdfast", onAPhone),
    await visit("/_holdfast"),
  ];
  for (const visitor of [home, phone, train]) {
    await signIn(visitor, "ada@example.org", password);
    await visitor.page.locator("main.overview").waitFor();
  }
  // On a phone the own settings are in the menu.
  await phone.page.getByText("Menu", { exact: true }).click();
  await phone.page.locator(".more").getByRole("link", { name: "Your settings" }).click();
  await phone.sees("Your settings");

  await home.goTo(mine);
  const sessions = home.page.locator(".sessions > li");
  const before = await sessions.count();
  await expect
    .poll(async () => (await sessions.allInnerTexts()).join("\n"))
    .toMatch(/Chrome on .*this machine · since/s);
  expect(await sessions.getByText("This one").count()).toBe(1);
  await sessions.getByRole("button", { name: "End the session" }).first().click();
  await home.page.getByText("That session has ended.").waitFor();
  await expect.poll(() => sessions.count()).toBe(before - 1);

  await home.page.getByLabel("Old password").fill("this is not the old one");
  await home.page.getByLabel("New password").fill(better);
  home.expecting(/422/);
  await home.pressButton("Change the password");
  await home.page.getByText("This is not your password.").waitFor();
  await home.page.getByLabel("Old password").fill(password);
  await home.page.getByLabel("New password").fill(better);
  await home.pressButton("Change the password");
  await home.page.getByText("The password is new. All other sessions have ended.").waitFor();
  await expect.poll(() => sessions.count()).toBe(1);
  for (const ended of [phone, train]) {
    await ended.goTo(mine);
    expect(ended.address).toBe("/_holdfast/sign-in?to=%2F_holdfast%2F1%2Fme");
  }

  const other = await visit("/_holdfast/sign-in", withoutJavaScript);
  await signIn(other, "ada@example.org", better);
  await other.goTo(mine);
  await other.pressButton("Sign out everywhere");
  await other.sees("Sign in to the console");
  await home.goTo(mine);
  expect(home.address).toBe("/_holdfast/sign-in?to=%2F_holdfast%2F1%2Fme");
});

test("a token is shown once and copied, works until it is revoked, and belongs to a person or a project", async ({
  app,
  visit,
}) => {
  const visitor = await visit("/_holdfast/sign-in");
  const { page } = visitor;
  await signIn(visitor, "ada@example.org", better);
  await page.locator("main.overview").waitFor();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  // Any upload address says whether a token is known.
  const isKnown = async (token: string) => {
    const response = await fetch(`${app.url}/_holdfast/api/0/`, { headers: { authorization: `Bearer ${token}` } });
    return response.status !== 401;
  };
  for (const [from, link, title] of [
    ["/_holdfast/1/me", "Your tokens", "Your tokens"],
    ["/_holdfast/1/settings", "Tokens", "Tokens of My application"],
  ] as const) {
    await visitor.goTo(from);
    await page.getByRole("link", { name: link, exact: true }).click();
    const section = page.getByRole("region", { name: title });
    await section.getByLabel("Name").fill("nightly report");
    await section.getByLabel("Upload").check();
    await section.getByRole("button", { name: "Make a token" }).click();
    const shown = section.getByRole("status").locator("code");
    await shown.waitFor();
    const secret = (await shown.textContent()) ?? "";
    expect(secret).toMatch(/^hft_[\w-]{43}$/);
    await section.getByRole("button", { name: "Copy" }).click();
    await section.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await breaksNoRule(visitor, title);
    const rows = section.getByRole("listitem");
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("read, upload")]);
    expect(await rows.textContent()).toMatch(/never used · expires in 90 days/);
    expect(await isKnown(secret)).toBe(true);

    await page.reload();
    await section.getByText(/used .*· expires in 90 days/).waitFor();
    expect(await page.content()).not.toContain(secret);
    await section.getByRole("button", { name: "Revoke nightly report" }).click();
    await section.getByText("That token is refused from now on.").waitFor();
    await expect.poll(() => rows.count()).toBe(0);
    expect(await isKnown(secret)).toBe(false);
  }
  await visitor.goTo("/_holdfast/1/settings");
  const audit = page.locator("section").filter({ hasText: "Who decided what" });
  const entries = (await audit.getByRole("listitem").allInnerTexts()).join("\n");
  expect(entries).toMatch(/made the personal token nightly report of ada@example.org \(read, upload\)/);
  expect(entries).toMatch(/revoked the token nightly report/);
});

test("a person permits a command line in the browser, and it reads issues until it signs out", async ({
  app,
  visit,
}) => {
  const config = mkdtempSync(join(tmpdir(), "holdfast-login-"));
  vi.stubEnv("XDG_CONFIG_HOME", config);
  vi.stubEnv("HOLDFAST_TOKEN", "");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(config, { recursive: true });
  });
  const printed: string[] = [];
  const run = (name: "login" | "issues" | "logout", ...args: string[]): Promise<number> => {
    const output = { print: (text: string) => printed.push(text), warn: () => undefined };
    return serviceCommands[name].run([...args, "--service", app.url], output);
  };
  const running = run("login", "--no-browser");
  await expect.poll(() => printed.length).toBe(2);
  const address = printed[0]?.replace(/^Open https?:\/\/[^/]+/, "") ?? "";
  const visitor = await visit(address);
  await signIn(visitor, "ada@example.org", better);
  await visitor.sees("Sign in a command line");
  const shown = printed[1]?.match(/shows (\S{4})\./)?.[1] ?? "";
  await visitor.page.locator("code", { hasText: shown }).waitFor();
  await breaksNoRule(visitor, "command line");
  await visitor.pressButton("Permit");
  await visitor.page.getByText("You are signed in. You can close this page.").waitFor();
  expect(await running).toBe(0);
  await run("issues", "--json");
  expect(JSON.parse(printed.at(-1) ?? "")).toContainEqual(expect.objectContaining({ number: 1 }));
  await run("logout");
  expect(printed.at(-1)).toBe(`You are signed out of ${app.url}.`);
});

test("theme and time zone are right in the first paint, with and without JavaScript", async ({ visit }) => {
  const visitor = await visit("/_holdfast/sign-in");
  await signIn(visitor, "ada@example.org", better);
  await visitor.page.locator("main.overview").waitFor();
  const zone = await visitor.page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(zone).not.toBe("UTC");
  const shown = async (of: Visitor) => {
    const time = of.page.locator("section", { hasText: "Time zone" }).locator("time");
    return { text: (await time.textContent()) ?? "", title: await time.getAttribute("title") };
  };
  const local = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
  await visitor.goTo(mine);
  const first = await shown(visitor);
  expect(first).toEqual({ text: expect.stringMatching(local), title: expect.stringMatching(/ UTC$/) });
  expect(first.title?.slice(0, 16)).not.toBe(first.text.slice(0, 16));
  const html = await visitor.page.evaluate(async () => (await fetch(location.href)).text());
  expect(html, "what the server writes").not.toMatch(/It is <time[^>]*>[^<]* UTC</);

  const ground = (of: Visitor) => of.page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  await visitor.pressButton("Dark");
  await expect.poll(() => ground(visitor)).toBe("dark");
  await breaksNoRule(visitor, "me, chosen dark");
  await visitor.page.emulateMedia({ colorScheme: "light" });
  await visitor.pressButton("As the system");
  await expect.poll(() => ground(visitor)).toBe("light dark");

  const plain = await visit("/_holdfast/sign-in", withoutJavaScript);
  await signIn(plain, "ada@example.org", better);
  await plain.goTo(mine);
  expect((await shown(plain)).text).toMatch(/ UTC$/);
  await plain.page.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await plain.page.locator("section", { hasText: "Time zone" }).getByRole("button").click();
  await plain.page.getByText("Kept, for this browser.").waitFor();
  const inTokyo = await shown(plain);
  const hours = (text: string | null) => Number(text?.slice(11, 13));
  expect((hours(inTokyo.text) - hours(inTokyo.title) + 24) % 24).toBe(9);
  await plain.pressButton("Dark");
  expect(await plain.page.locator("[data-theme=dark]").count()).toBe(1);
  plain.expecting(/404/);
  await plain.goTo("/_holdfast/1/nothing-here");
  expect(await plain.page.locator("[data-theme=dark]").count(), "not found").toBe(1);
});

test("refusals are in the audit log: wrong passwords with their number, a missing role, a project of others", async ({
  app,
  visit,
}) => {
  const ada = await visit("/_holdfast/sign-in");
  await signIn(ada, "ada@example.org", better);
  await ada.page.locator("main.overview").waitFor();
  await ada.goTo("/_holdfast/1/settings");
  await ada.page.getByLabel("Name of a new project").fill("till");
  await ada.pressButton("Make it");
  await ada.sees("Settings of till");
  await ada.page.getByLabel("Invite by e-mail address").fill("max@example.org");
  await ada.page.getByLabel("Role", { exact: true }).selectOption("viewer");
  await ada.pressButton("Invite");
  const invite = (await ada.page.getByRole("status").locator("code").textContent())?.replace(/^https?:\/\/[^/]+/, "");
  const max = await visit(invite ?? "", withoutJavaScript);
  await max.page.getByLabel("Password").fill(password);
  await max.pressButton("Begin");
  await max.page.locator("main.overview").waitFor();

  max.expecting(/404|403|422/);
  await max.goTo("/_holdfast/1/issues");
  await max.sees("There is nothing here");
  const cookie = (await max.page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const rename = await fetch(`${app.url}/_holdfast/2/settings/_action/rename`, {
    method: "POST",
    headers: { cookie, origin: app.url },
    body: new URLSearchParams({ name: "mine" }),
  });
  expect(rename.status).toBe(403);
  for (let tries = 0; tries < 2; tries++)
    await fetch(`${app.url}/_holdfast/sign-in/_action/signIn`, {
      method: "POST",
      body: new URLSearchParams({ email: "max@example.org", password: "wrong" }),
    });

  const audit = async (project: number) => {
    await ada.goTo(`/_holdfast/${project}/settings`);
    const section = ada.page.locator("section").filter({ hasText: "Who decided what" });
    return (await section.getByRole("listitem").allInnerTexts()).join("\n");
  };
  await expect.poll(() => audit(1)).toMatch(/max@example.org was refused: no role in this project/);
  await expect.poll(() => audit(2)).toMatch(/max@example.org was refused: it takes the role owner/);
  expect(await audit(2)).toMatch(/max@example.org was refused 2 times: wrong password/);
  expect(await audit(1), "a person of another project").not.toMatch(/max@example.org.*wrong password/);
});
