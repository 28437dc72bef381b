import { expect } from "vitest";
import { newEventId } from "#protocol";
import { application, journey, withoutJavaScript } from "../../kit/index.ts";
import { anError, keyOf, reportErrors } from "./reports.ts";

const test = journey({
  app: application({ "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }` }),
});
const password = "several words to remember";

test("an owner invites, changes roles and removes; a removed person is refused with the next request; all of it is logged", async ({
  app,
  visit,
}) => {
  const link = /Console {2}http:\/\/[^/]+(\/_holdfast\/welcome\/\S+)/.exec(app.log)?.[1] ?? "";
  const ada = await visit(link);
  await ada.page.getByLabel("E-mail address").fill("ada@example.org");
  await ada.page.getByLabel("Password").fill(password);
  await ada.pressButton("Begin");
  await ada.page.locator("main.overview").waitFor();

  await ada.goTo("/_holdfast/1/settings");
  await ada.page.getByLabel("Invite by e-mail address").fill("max@example.org");
  await ada.page.getByLabel("Role", { exact: true }).selectOption("viewer");
  await ada.pressButton("Invite");
  const invite = (await ada.page.getByRole("status").locator("code").textContent())?.replace(/^https?:\/\/[^/]+/, "");
  await ada.page.getByText("(invited until", { exact: false }).waitFor();

  const max = await visit(invite ?? "", withoutJavaScript);
  await max.sees(/max@example.org is invited to My application as viewer/);
  await max.page.getByLabel("Password").fill(password);
  await max.pressButton("Begin");
  await max.page.locator("main.overview").waitFor();
  await max.goTo("/_holdfast/1/settings");
  expect(await max.page.getByRole("heading", { name: "Members" }).count()).toBe(0);
  expect(await max.page.getByText("@127.0.0.1", { exact: false }).count(), "the key").toBe(0);

  // A second invite finds his account: without its session or password, no one joins.
  await ada.goTo("/_holdfast/1/settings");
  await ada.page.getByLabel("Invite by e-mail address").fill("max@example.org");
  await ada.page.getByLabel("Role", { exact: true }).selectOption("viewer");
  await ada.pressButton("Invite");
  const second = (await ada.page.getByRole("status").locator("code").textContent())?.replace(/^https?:\/\/[^/]+/, "");
  const stranger = await visit(second ?? "", withoutJavaScript);
  await stranger.page.getByText("join with its password", { exact: false }).waitFor();
  await stranger.page.getByLabel("Password").fill("a password of somebody else");
  stranger.expecting(/422/);
  await stranger.pressButton("Join");
  await stranger.page.getByText("This is not the password of the account.").waitFor();
  await stranger.page.getByLabel("Password").fill(password);
  await stranger.pressButton("Join");
  await stranger.page.locator("main.overview").waitFor();

  await ada.goTo("/_holdfast/1/settings");
  await ada.page.getByLabel("Role of max@example.org").selectOption("member");
  await ada.pressButton("Change");
  await ada.page.getByText("max@example.org is member now.").waitFor();
  await max.goTo("/_holdfast/1/settings");
  await max.sees("Where reports go");

  await ada.pressButton("Remove max@example.org");
  await ada.page.getByText("max@example.org cannot see this project any more.").waitFor();
  await max.goTo("/_holdfast/1/issues");
  expect(max.address).toBe("/_holdfast/sign-in?to=%2F_holdfast%2F1%2Fissues");

  const audit = ada.page.locator("section").filter({ hasText: "Who decided what" }).getByRole("listitem");
  const written = (await audit.allInnerTexts()).map((text) => text.replace(/ (?:just now|\d+ min ago)$/, ""));
  expect(written).toEqual([
    "ada@example.org removed max@example.org",
    "ada@example.org made max@example.org member",
    "ada@example.org invited max@example.org as viewer",
    "ada@example.org invited max@example.org as viewer",
  ]);
});

test("an owner creates a project, replaces its key and sees the result without JavaScript; with and without it, scrubbing can be tried", async ({
  app,
  visit,
}) => {
  const owner = await visit("/_holdfast/sign-in", withoutJavaScript);
  await owner.page.getByLabel("E-mail address").fill("ada@example.org");
  await owner.page.getByLabel("Password").fill(password);
  await owner.pressButton("Sign in");
  await owner.goTo("/_holdfast/1/settings");
  await owner.page.getByLabel("Name of a new project").fill("till");
  await owner.pressButton("Make it");
  await owner.sees("Settings of till");
  expect(owner.address).toBe("/_holdfast/2/settings");
  await owner.page.getByText("Python", { exact: true }).click();
  const before = keyOf(app, 2);
  await owner.page.getByText(`sentry_sdk.init(dsn="`, { exact: false }).getByText(before).waitFor();

  await owner.page.getByText("Replace the key").click();
  await owner.pressButton("Replace it now");
  await owner.page.getByText("Clients with the old one are refused.", { exact: false }).waitFor();
  const send = async (key: string): Promise<number> =>
    (
      await fetch(`${app.url}/_holdfast/api/2/store/?sentry_key=${key}`, {
        method: "POST",
        body: JSON.stringify(anError()),
      })
    ).status;
  await expect.poll(() => send(before)).toBe(403);
  expect(await send(keyOf(app, 2))).toBe(200);

  await owner.page.getByLabel("Days").fill("30");
  await owner.pressButton("Save");
  await owner.page.getByText(", for 30 days.", { exact: false }).waitFor();
  await owner.page.getByText("keeps events for 30 days, before 90").waitFor();

  await owner.page.getByText("Kept. It holds within a minute", { exact: false }).waitFor();
  await owner.page.reload();
  expect(await owner.page.getByText("Kept. It holds", { exact: false }).count(), "after a reload").toBe(0);

  const attached = owner.page.getByRole("region", { name: "Attached files" });
  await attached.getByRole("button", { name: "Save" }).click();
  await owner.page.getByText("Kept. It holds within a minute", { exact: false }).waitFor();
  expect(await owner.page.getByText("MB attached per", { exact: false }).count(), "as it was").toBe(0);
  await attached.getByText("up to 4.2 MB each", { exact: false }).waitFor();

  const scripted = await visit("/_holdfast/sign-in");
  await scripted.page.getByLabel("E-mail address").fill("ada@example.org");
  await scripted.page.getByLabel("Password").fill(password);
  await scripted.pressButton("Sign in");
  await scripted.page.locator("main.overview").waitFor();
  await scripted.goTo("/_holdfast/2/settings");
  // More than fits into a cookie.
  const typed = { pin: 1234, city: "Oslo", password: "x", note: "n".repeat(3_000) };
  for (const visitor of [owner, scripted]) {
    const { page } = visitor;
    await page.getByText("Try it", { exact: true }).click();
    await page.getByLabel("Text or JSON").fill(JSON.stringify(typed));
    await page.getByLabel("Also what is called (part of a name is enough)").last().fill("pin");
    await visitor.pressButton("What would be left?");
    const left = await page.locator("pre.notice").textContent();
    expect(JSON.parse(left ?? "")).toEqual({ ...typed, pin: "[scrubbed]", password: "[scrubbed]" });
    expect(await page.getByLabel("Text or JSON").inputValue()).toBe(JSON.stringify(typed));
  }
});

test("an owner gives a client its own key, disables it, and filters what is not wanted", async ({ app, visit }) => {
  const owner = await visit("/_holdfast/sign-in", withoutJavaScript);
  await owner.page.getByLabel("E-mail address").fill("ada@example.org");
  await owner.page.getByLabel("Password").fill(password);
  await owner.pressButton("Sign in");
  await owner.goTo("/_holdfast/1/settings");
  await owner.page.getByRole("link", { name: "Keys and limits" }).click();
  await owner.page.getByText("Make a key").click();
  await owner.page.getByLabel("Name of the new key").fill("Partner");
  await owner.page.getByLabel("Pages that may send with it").last().fill("https://partner.example");
  await owner.pressButton("Make it");
  await owner.page.getByText("The key Partner is made.", { exact: false }).waitFor();
  const row = owner.page.getByRole("listitem").filter({ hasText: "Partner" });
  await row.getByText("Not used yet.").waitFor();
  const dsn = new URL((await row.locator("code.dsn").textContent()) ?? "");
  const send = async (fields: object, origin = "https://partner.example"): Promise<Response> =>
    fetch(`${app.url}/_holdfast/api/1/store/?sentry_key=${dsn.username}`, {
      method: "POST",
      body: JSON.stringify(anError({ ...fields })),
      headers: { origin },
    });
  await expect.poll(async () => (await send({})).status).toBe(200);
  expect((await send({}, "https://elsewhere.example")).status).toBe(403);
  await owner.pressButton("Disable Partner");
  await owner.page.getByText("Partner is refused from now on.", { exact: false }).waitFor();
  await expect.poll(async () => (await send({})).headers.get("x-sentry-rate-limits")).toBe("60::key:disabled_key");
  await owner.pressButton("Enable Partner");
  await owner.page.getByText("Partner is accepted again.").waitFor();

  await owner.goTo("/_holdfast/1/settings/filters");
  await owner.page.getByLabel("What it matches").fill("*resizeobserver*");
  await owner.pressButton("Add a filter");
  await owner.page.getByText("What it matches is dropped from now on", { exact: false }).waitFor();
  const unwanted = { type: "Error", value: "ResizeObserver loop limit exceeded" };
  await expect.poll(async () => (await send(unwanted)).json()).toEqual({});
  await owner.page.getByText("0 dropped.").waitFor();
  expect(await (await send({})).json()).toEqual({ id: expect.any(String) });

  const figures = await fetch(`${app.url}/_holdfast/metrics`);
  expect(await figures.text()).toContain('holdfast_items_dropped_total{reason="filtered"}');
  const elsewhere = await fetch(`${app.url}/_holdfast/metrics`, { headers: { "x-forwarded-for": "203.0.113.7" } });
  expect(elsewhere.status).toBe(401);
});

test("an owner writes ownership rules: a wrong line is named and nothing is lost, a trial shows what they do, and a new issue is assigned", async ({
  app,
  visit,
}) => {
  const typed = "route:/vault/** ada@example.org\nteam:shop ada@example.org";
  const owners = [await visit("/_holdfast/sign-in", withoutJavaScript), await visit("/_holdfast/sign-in")] as const;
  for (const [number, owner] of owners.entries()) {
    await owner.page.getByLabel("E-mail address").fill("ada@example.org");
    await owner.page.getByLabel("Password").fill(password);
    await owner.pressButton("Sign in");
    await owner.page.locator("main.overview").waitFor();
    await owner.goTo("/_holdfast/1/settings/ownership");
    // Hydration takes the selection, so that what is filled in meanwhile would come before the old text.
    if (number === 1) await owner.isAwake();
    const rules = owner.page.getByLabel("One rule in a line", { exact: false });
    await rules.fill(typed);
    owner.expecting(/422/);
    await owner.pressButton("Save the rules");
    await owner.page.getByText("Line 2: A rule begins with path:", { exact: false }).waitFor();
    expect(await rules.inputValue()).toBe(typed);
    await owner.page.getByText("Add the lines of a CODEOWNERS file").click();
    await owner.page.getByLabel("Content of the file").fill("/src/vault/ zoe@example.org");
    await rules.fill("path:src/server/** ada@example.org");
    await owner.pressButton("Write as rules");
    await owner.page.getByText("Nothing is saved yet.", { exact: false }).waitFor();
    expect(await rules.inputValue()).toBe("path:src/server/** ada@example.org\npath:src/vault/ zoe@example.org");
    await owner.pressButton("Try them on the newest issues");
    await owner.page.getByText("ada@example.org, by path:src/server/**").first().waitFor();
    await owner.pressButton("Save the rules");
    await owner.page.getByText("Saved. They hold for issues that are new or come back.").waitFor();
    await owner.page
      .getByText("Line 2: zoe@example.org is no member of this project, so this", { exact: false })
      .waitFor();
  }
  const [, owner] = owners;
  // Rules hold within a second.
  const assigned = async (): Promise<number> => {
    const error = anError({ function: `own${newEventId().replace(/\d/g, "")}` });
    await reportErrors(app, [error]);
    await owner.goTo("/_holdfast/1/issues?q=assigned:ada@example.org");
    return owner.page.locator("table a[href*='/issues/']").count();
  };
  await expect.poll(assigned, { timeout: 60_000, interval: 500 }).toBeGreaterThan(0);
  await owner.page.locator("table a[href*='/issues/']").first().click();
  await owner.page.getByText("The rules assigned it to ada@example.org by rule path:src/server/**").waitFor();
  await owner.page.getByRole("region", { name: "Owner by rule" }).getByText("path:src/server/**").waitFor();
});
