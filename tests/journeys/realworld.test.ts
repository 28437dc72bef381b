import { describe, expect } from "vitest";
import { journey, type Visitor, withoutJavaScript } from "../kit/index.ts";

/** An application of usual size: accounts, articles, favourites, comments, followers. */
const test = journey({ app: "tests/fixtures/realworld" }).extend("member", async ({ visit }) => {
  return async (name: string, options?: typeof withoutJavaScript): Promise<Visitor> => {
    const visitor = await visit("/sign-up", options);
    if (!options) await visitor.isAlive();
    await visitor.fillIn("Name", name);
    await visitor.fillIn("Password", "correct horse");
    await visitor.pressButton("Create account");
    await visitor.sees(`Feed of ${name}`);
    return visitor;
  };
});

async function publish(visitor: Visitor, title: string): Promise<void> {
  await visitor.clickLink("New article");
  await visitor.sees("New article");
  await visitor.fillIn("Title", title);
  await visitor.fillIn("Text", `All about ${title}.`);
  await visitor.pressButton("Publish");
  await visitor.sees(title);
}

async function comment(visitor: Visitor, text: string): Promise<void> {
  await visitor.fillIn("Comment", text);
  await visitor.pressButton("Post comment");
  await visitor.page.getByText(text, { exact: true }).waitFor();
}

const heart = ({ page }: Visitor, title: string) => page.getByRole("button", { name: `Favourite ${title}` });

/** Favourites of each of these articles, as the server knows them now. */
async function favouritesOf(visitor: Visitor, titles: readonly string[]): Promise<(string | null)[]> {
  await visitor.goTo("/");
  return Promise.all(titles.map((title) => heart(visitor, title).textContent()));
}

describe.each([
  ["with JavaScript", undefined, "Ada", "Bob"],
  ["without JavaScript", withoutJavaScript, "Carla", "Dan"],
] as const)("%s", (_, options, author, reader) => {
  test("people write, follow and comment", async ({ member }) => {
    const writes = await member(author, options);
    await publish(writes, `On ${author}`);
    const reads = await member(reader, options);
    await reads.page.getByText("No articles are here yet.").waitFor();
    await reads.clickLink("Conduit");
    await reads.clickLink(`On ${author}`);
    await reads.sees(`On ${author}`);
    await comment(reads, "Well said.");
    await reads.pressButton(`Follow ${author}`);
    await reads.page.getByRole("button", { name: `Unfollow ${author}` }).waitFor();
    await reads.clickLink("Feed");
    await reads.sees(`Feed of ${reader}`);
    await reads.page.getByRole("link", { name: `On ${author}` }).waitFor();
    await reads.clickLink("Settings");
    await reads.sees(`Settings of ${reader}`);
    await reads.fillIn("Bio", "I read.");
    await reads.pressButton("Save");
    await reads.page.getByText("Saved.").waitFor();
    expect(await reads.page.getByLabel("Bio").inputValue()).toBe("I read.");
  });

  test("a comment is changed and refused in its own row", async ({ member, proxy }) => {
    const visitor = (await member(`${author}2`, options)).expecting(/422/);
    await publish(visitor, `Rows of ${author}`);
    for (const text of ["First", "Second"]) await comment(visitor, text);
    const { page } = visitor;
    const [first, second] = await page.getByRole("form", { name: /^Edit / }).all();
    if (!first || !second) throw new Error("There are two comments.");
    await first.getByRole("textbox").fill("");
    await first.getByRole("button").click();
    await first.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").allTextContents()).toEqual(["Write something."]);
    expect(await second.getByRole("textbox").inputValue()).toBe("Second");

    await second.getByRole("textbox").fill("Second, better");
    await second.getByRole("button").click();
    await page.getByText("Second, better", { exact: true }).waitFor();
    await first.getByRole("textbox").fill("First, better");
    await first.getByRole("button").click();
    await page.getByText("First, better", { exact: true }).waitFor();
    expect(await page.locator("li > span").allTextContents()).toEqual(["First, better", "Second, better"]);
    expect(proxy.requestsFor(/_action\/edit\b/).filter(({ path }) => !path.includes("_outcome"))).toHaveLength(3);
  });
});

test("three favourites within a second are three, shown at once and true in the end", async ({ member, proxy }) => {
  const visitor = await member("Emma");
  const titles = ["Apples", "Pears", "Plums"];
  for (const title of titles) await publish(visitor, title);
  await visitor.clickLink("Conduit");
  await visitor.sees("All articles");
  const asked = proxy.requestsFor("/_data").length;
  const gate = proxy.when(/_action\/favourite/).hold();
  for (const title of titles) await heart(visitor, title).click();
  // Before any response has arrived.
  for (const title of titles) expect(await heart(visitor, title).getAttribute("aria-pressed")).toBe("true");
  await gate.taken(3);
  gate.release();
  const posts = () => proxy.requestsFor(/_action\/favourite/).filter(({ path }) => !path.includes("_outcome"));
  // The browser may stop reading a response after the outcome: the page in it is older than that of the next one.
  await expect.poll(() => posts().filter(({ end }) => end !== "open").length).toBe(3);
  for (const title of titles) expect(await heart(visitor, title).textContent()).toBe("♥ 1");
  await expect.poll(() => visitor.page.locator("html[aria-busy]").count()).toBe(0);
  expect(posts()).toHaveLength(3);
  expect(proxy.requestsFor("/_data").length - asked).toBeLessThanOrEqual(1);
  expect(await favouritesOf(visitor, titles)).toEqual(["♥ 1", "♥ 1", "♥ 1"]);
});

test("a heart that is pressed on and off ends in its last state", async ({ member, proxy }) => {
  const visitor = await member("Frida");
  await publish(visitor, "Quinces");
  proxy.when(/_action\/favourite/).delay(200);
  for (const pressed of ["true", "false", "true"]) {
    await heart(visitor, "Quinces").click();
    await expect.poll(() => heart(visitor, "Quinces").getAttribute("aria-pressed")).toBe(pressed);
  }
  await expect.poll(() => favouritesOf(visitor, ["Quinces"])).toEqual(["♥ 1"]);
});

test("two comments are changed in two rows at once", async ({ member, proxy }) => {
  const visitor = await member("Greta");
  await publish(visitor, "At once");
  for (const text of ["One", "Two"]) await comment(visitor, text);
  proxy.when(/_action\/edit/).delay(300);
  const rows = await visitor.page.getByRole("form", { name: /^Edit / }).all();
  for (const [at, row] of rows.entries()) {
    await row.getByRole("textbox").fill(`Changed ${at + 1}`);
    await row.getByRole("button").click();
  }
  await expect.poll(() => visitor.page.locator("li > span").allTextContents()).toEqual(["Changed 1", "Changed 2"]);
});

test("a person who signs out in one tab is signed out in the other, and nothing private is shown there", async ({
  member,
  proxy,
}) => {
  const visitor = await member("Hanna");
  const other = await visitor.page.context().newPage();
  await other.goto(`${proxy.url}/settings`);
  await other.locator("html[data-holdfast=alive]").waitFor();
  await other.getByRole("link", { name: "Conduit" }).click();
  await other.getByRole("heading", { name: "All articles" }).waitFor();
  await other.getByRole("link", { name: "Feed" }).hover();
  await expect.poll(() => proxy.requestsFor("/feed/_data").at(-1)?.end).toBe("complete");

  await visitor.page.bringToFront();
  await visitor.clickLink("Settings");
  await visitor.sees("Settings of Hanna");
  await visitor.pressButton("Sign out");
  await visitor.sees("All articles");
  await visitor.page.getByRole("link", { name: "Sign in" }).waitFor();

  await other.getByRole("link", { name: "Sign in" }).waitFor();
  await other.goBack();
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await other.getByText("Hanna").count()).toBe(0);
});
