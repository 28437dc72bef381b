import { expect } from "vitest";
import { digestOf } from "#protocol";
import { journey, type Visitor, withoutJavaScript } from "../../kit/index.ts";
import { anError, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

/**
 * One issue for each name, the last one newest. All are found by the first word.
 * They are 10 ms apart: with seconds, issues of the test before could lie between them in a list of all.
 */
function named(word: string, names: readonly string[]) {
  const now = Date.now() / 1_000 - 60;
  return names.map((name, n) =>
    anError({
      function: `${word}${name}`,
      value: `${word} ${name}`,
      transaction: `/${word}`,
      timestamp: now + n / 100,
    }),
  );
}

test("keys lead from an issue to those beside it in its list, also after it is resolved or met again", async ({
  app,
  visit,
}) => {
  const [a = anError(), ...others] = named("beside", ["Ann", "Ben", "Cid", "Dan"]);
  await reportErrors(app, [a, ...others]);
  const visitor = await visit("/_holdfast/1/issues?q=beside&sort=first-seen");
  await visitor.isAlive();
  const { keyboard } = visitor.page;
  await keyboard.press("j");
  await keyboard.press("o");
  await visitor.sees("TypeError: beside Dan");
  await keyboard.press("j");
  await visitor.sees("TypeError: beside Cid");
  await keyboard.press("e");
  await visitor.page.getByText("1 issue resolved.").waitFor();
  await keyboard.press("j");
  await visitor.sees("TypeError: beside Ben");
  // Dan is open, Cid is not any more.
  await keyboard.press("k");
  await visitor.sees("TypeError: beside Dan");
  expect(await visitor.page.getByRole("link", { name: "Previous" }).count()).toBe(0);
  expect(visitor.address).toMatch(/^\/_holdfast\/1\/issues\/\d+\?q=beside&sort=first-seen&place=[0-9a-z]+$/);
  await visitor.clickLink("List");
  await visitor.sees("Issues");
  expect(visitor.address).toBe("/_holdfast/1/issues?q=beside&sort=first-seen");
  expect(visitor.documentsLoaded).toBe(1);

  // By the time of the last event, an issue that happens again would be the first.
  await visitor.goTo("/_holdfast/1/issues?q=beside&tab=all");
  await visitor.clickLink("TypeError: beside Ben");
  await visitor.sees("TypeError: beside Ben");
  await reportErrors(app, [anError({ function: "besideBen", value: "beside Ben", transaction: "/beside" })]);
  await visitor.page.reload();
  await visitor.isAlive();
  await keyboard.press("j");
  await visitor.sees("TypeError: beside Ann");
  expect(await visitor.page.getByRole("link", { name: "Next" }).count()).toBe(0);
});

test("without JavaScript, links lead through the list with its filter, tab and sort", async ({ app, visit }) => {
  const errors = named("linked", ["Ann", "Ben", "Cid"]);
  await reportErrors(app, [...errors, ...named("linked", ["Ben"])]);
  const visitor = await visit("/_holdfast/1/issues?q=linked&tab=all&sort=events", withoutJavaScript);
  await visitor.clickLink("TypeError: linked Ben");
  await visitor.sees("TypeError: linked Ben");
  const seen = [];
  for (const way of [/^Next/, /^Next/, /^Previous/, /^Previous/]) {
    await visitor.clickLink(way);
    seen.push(await visitor.page.getByRole("heading", { level: 1 }).textContent());
  }
  const [cid, ann, ben] = ["Cid", "Ann", "Ben"].map((name) => `TypeError: linked ${name}`);
  expect(seen).toEqual([cid, ann, cid, ben]);
  await visitor.clickLink("List");
  expect(visitor.address).toBe("/_holdfast/1/issues?q=linked&tab=all&sort=events");
});

test("an issue that was opened by its address has the neighbours of the unresolved list", async ({ app, visit }) => {
  await reportErrors(app, named("direct", ["Ann", "Ben"]));
  const visitor = await visit("/_holdfast/1/issues?q=direct", withoutJavaScript);
  await visitor.clickLink("TypeError: direct Ben");
  await visitor.goTo(new URL(visitor.page.url()).pathname);
  await visitor.clickLink(/^Next/);
  await visitor.sees("TypeError: direct Ann");
});

test("Shift extends the choice by keys and by clicks, and takes rows out again", async ({ app, visit }) => {
  await reportErrors(app, named("ranged", ["A", "B", "C", "D", "E", "F"]));
  const visitor = await visit("/_holdfast/1/issues?q=ranged");
  await visitor.isAlive();
  const { keyboard } = visitor.page;
  await keyboard.press("j");
  await keyboard.press("j");
  for (const key of ["J", "J", "J"]) await keyboard.press(`Shift+${key}`);
  await expect.poll(() => chosenIn(visitor)).toEqual([1, 2, 3, 4]);
  await keyboard.press("Shift+K");
  await expect.poll(() => chosenIn(visitor)).toEqual([1, 2, 3]);
  await keyboard.press("Shift+K");
  await keyboard.press("Shift+K");
  await keyboard.press("Shift+K");
  await expect.poll(() => chosenIn(visitor), { message: "beyond the row where it began" }).toEqual([0, 1]);

  const box = (place: number) => visitor.page.locator("[data-row] input[type=checkbox]").nth(place);
  await box(0).click();
  await box(1).click();
  await box(5).click();
  await box(2).click({ modifiers: ["Shift"] });
  await expect.poll(() => chosenIn(visitor)).toEqual([2, 3, 4, 5]);
  await box(4).click({ modifiers: ["Shift"] });
  await expect.poll(() => chosenIn(visitor), { message: "a click that takes out" }).toEqual([5]);
  expect(await visitor.page.evaluate(() => String(getSelection()))).toBe("");
  await box(3).click();
  await keyboard.press("e");
  await visitor.page.getByText("2 issues resolved.").waitFor();
});

test("keys that are pressed before their code has arrived act in their order", async ({ app, visit }) => {
  await reportErrors(app, named("early", ["A", "B", "C", "D"]));
  const visitor = await visit("/_holdfast/1/live");
  const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>();
  await visitor.page.route(/\/rows-[^/]*\.js$/, async (route) => {
    await arrives;
    await route.continue();
  });
  await visitor.goTo("/_holdfast/1/issues?q=early");
  await visitor.isAlive();
  for (const key of ["j", "j", "Shift+J", "Shift+J"]) await visitor.page.keyboard.press(key);
  expect(await chosenIn(visitor)).toEqual([]);
  arrive();
  await expect.poll(() => chosenIn(visitor)).toEqual([1, 2, 3]);
});

test("without JavaScript, an issue is merged into one that a search finds by title, number and digest", async ({
  app,
  visit,
}) => {
  const [goes = anError(), stays = anError()] = named("searched", ["Goes", "Stays"]);
  await reportErrors(app, [goes, stays]);
  const visitor = await visit("/_holdfast/1/issues?q=searchedGoes", withoutJavaScript);
  await visitor.clickLink("TypeError: searched Goes");
  const number = /issues\/(\d+)/.exec(visitor.address)?.[1] ?? "";
  await visitor.page.locator("summary", { hasText: "More" }).click();
  await visitor.page.getByLabel("Into #, title or digest").fill("searched stays");
  await visitor.pressButton("Merge");
  await visitor.sees("Merge this issue into another");
  expect(visitor.address).toBe(`/_holdfast/1/issues/merge?number=${number}&find=searched+stays`);
  const found = () => visitor.page.locator("[data-row]").allInnerTexts();
  expect(await found()).toEqual([expect.stringMatching(/TypeError: searched Stays/)]);
  const find = async (text: string) => {
    await visitor.page.getByLabel("Into the issue with this number, title or digest").fill(text);
    await visitor.pressButton("Find");
  };
  await find(digestOf(stays.event_id).toLowerCase());
  expect(await found()).toEqual([expect.stringMatching(/TypeError: searched Stays/)]);
  await find(`#${number}`);
  await visitor.page.getByText(`No other issue of this project matches “#${number}”.`).waitFor();
  await find("<b>nothing</b>");
  await visitor.page.getByText("No other issue of this project matches “<b>nothing</b>”.").waitFor();
  await find("searched");
  expect(await found()).toEqual([expect.stringMatching(/TypeError: searched Stays/)]);
  await visitor.page.getByRole("button", { name: /^Merge into #/ }).click();
  await visitor.page.getByText(/^1 issue merged into #\d+\./).waitFor();
  await visitor.page.getByText("One issue now:").waitFor();
  await visitor.pressButton(/^Undo/);
  await visitor.page.getByText("1 issue restored.").waitFor();
  await visitor.sees("Merge this issue into another");
});

test("chosen issues are merged by keys alone, into one of them", async ({ app, visit }) => {
  await reportErrors(app, named("united", ["Ann", "Ben", "Cid"]));
  const visitor = await visit("/_holdfast/1/issues?q=united");
  await visitor.isAlive();
  const { keyboard } = visitor.page;
  await keyboard.press("j");
  await keyboard.press("Shift+J");
  await keyboard.press("Shift+J");
  await expect.poll(() => chosenIn(visitor)).toEqual([0, 1, 2]);
  await keyboard.press("g");
  await visitor.page.getByText(/^2 issues merged into #\d+\./).waitFor();
  await expect.poll(() => visitor.page.locator("[data-row]").count()).toBe(1);
  await visitor.pressButton(/^Undo/);
  await visitor.page.getByText(/^\d issues? restored\./).waitFor();
  await expect.poll(() => visitor.page.locator("[data-row]").count()).toBe(3);
  await keyboard.press("j");
  await keyboard.press("g");
  await expect.poll(() => visitor.page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("into");
  await keyboard.press("Escape");
  await visitor.page.locator(".toolbar .menu:not([open])").waitFor();
  await visitor.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await keyboard.press("g");
  await keyboard.type("united");
  await keyboard.press("Enter");
  await visitor.sees("Merge this issue into another");
  await visitor.page
    .getByRole("button", { name: /^Merge into #/ })
    .first()
    .press("Enter");
  await visitor.page.getByText(/^1 issue merged into #\d+\./).waitFor();
  await visitor.page.getByText("One issue now:").getByRole("link").click();
  await visitor.sees(/^TypeError: united/);
  await keyboard.press(",");
  await visitor.page.getByText("Take merged issues out again").waitFor();
  expect(await visitor.accessibilityProblems()).toEqual([]);
  await keyboard.press("s");
  await visitor.page.getByText("1 issue split.").waitFor();
});

test("the menu has groups, and a key for each action; a key leads to its field", async ({ app, visit }) => {
  await reportErrors(app, named("grouped", ["Ann"]));
  const visitor = await visit("/_holdfast/1/issues?q=grouped");
  await visitor.clickLink("TypeError: grouped Ann");
  await visitor.sees("TypeError: grouped Ann");
  const { keyboard } = visitor.page;
  expect(await visitor.page.getByText("Take merged issues out again").count(), "nothing was merged").toBe(0);
  await keyboard.press(",");
  const groups = visitor.page.locator(".toolbar .menu").getByRole("group");
  expect(await groups.evaluateAll((all) => all.map((one) => one.querySelector("legend")?.textContent))).toEqual([
    "Resolve",
    "Mute",
    "Assign",
    "Merge",
  ]);
  await keyboard.press("h");
  await keyboard.type("x");
  await keyboard.press("Enter");
  await visitor.page.getByText("Say for how many hours.").waitFor();
  visitor.expecting(/422/);
  await visitor.page.getByLabel("For hours").fill("36");
  await keyboard.press("Enter");
  await visitor.page.locator(".state.muted").first().waitFor();
});

test.for([
  { name: "with JavaScript", options: {} },
  { name: "without JavaScript", options: withoutJavaScript },
])(
  "a comment is Markdown, and links the issues that it names, which show it, $name",
  async ({ options }, { app, visit }) => {
    const word = options === withoutJavaScript ? "quietly" : "spoken";
    await reportErrors(app, named(word, ["Cause", "Effect"]));
    const visitor = await visit(`/_holdfast/1/issues?q=${word}`, options);
    const numbers = await visitor.page
      .locator("[data-row] [type=checkbox]")
      .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value));
    const [effect = "", cause = ""] = numbers;
    await visitor.goTo(`/_holdfast/1/issues/${effect}`);
    const comment = visitor.page.locator(".comment");
    await visitor.page
      .getByLabel("Comment")
      .fill(
        [
          `**Because** of #${cause}, not \`#${effect}\` or #999999999:`,
          "",
          "- see [the plan](https://plan.test/a)",
          "- <img src=x onerror=alert(1)>",
          "",
          "> [evil](javascript:alert(1))",
        ].join("\n"),
      );
    await visitor.pressButton("Comment");
    await comment.waitFor();
    expect(await comment.locator("strong").textContent()).toBe("Because");
    expect(await comment.locator("code").textContent()).toBe(`#${effect}`);
    expect(await comment.locator("li").allInnerTexts()).toEqual(["see the plan", "<img src=x onerror=alert(1)>"]);
    expect(await comment.locator("blockquote").textContent()).toBe("[evil](javascript:alert(1))");
    expect(await comment.locator("a").evaluateAll((links) => links.map((link) => link.outerHTML))).toEqual([
      `<a href="/_holdfast/1/issues/${cause}">#${cause}</a>`,
      '<a href="https://plan.test/a" rel="nofollow noopener">the plan</a>',
    ]);
    await comment.getByRole("link", { name: `#${cause}` }).click();
    await visitor.sees(`TypeError: ${word} Cause`);
    const mentioned = visitor.page.getByRole("region", { name: "Mentioned in" });
    await mentioned.getByRole("link", { name: `#${effect} TypeError: ${word} Effect` }).click();
    await visitor.sees(`TypeError: ${word} Effect`);
    if (options !== withoutJavaScript) expect(await visitor.accessibilityProblems()).toEqual([]);
    expect(await mentioned.count(), "it names itself only in code").toBe(0);
  },
);

/** Places of the chosen rows. */
function chosenIn({ page }: Visitor): Promise<number[]> {
  return page
    .locator("[data-row]")
    .evaluateAll((rows) => rows.flatMap((row, place) => (row.querySelector(":checked") ? [place] : [])));
}
