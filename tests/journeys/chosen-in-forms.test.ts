import { describe, expect } from "vitest";
import { journey, type Visitor, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/forms" });

/** What the form would send of what is chosen. */
async function chosen(visitor: Visitor): Promise<string> {
  return visitor.page.locator("form").evaluate((form: HTMLFormElement) =>
    [...new FormData(form)]
      .filter(([name]) => !/^_|name$/.test(name))
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
  );
}

async function choose(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await page.getByLabel("l", { exact: true }).check();
  await page.getByLabel("red").check();
  await page.getByLabel("green").uncheck();
  await page.getByLabel("blue").check();
  await page.getByLabel("News").uncheck();
  await page.getByLabel("Days").selectOption(["Monday", "Friday"]);
}

const first = "size=m colors[]=green news=on days[]=Tuesday";
const other = "size=l colors[]=red colors[]=blue days[]=Monday days[]=Friday";

describe("checkboxes, radios and lists of a form", () => {
  test("choices without JavaScript come back after a refusal and after each change of rows, and nothing else", async ({
    visit,
  }) => {
    const visitor = (await visit("/prefs", withoutJavaScript)).expecting(/422/);
    const { page } = visitor;
    expect(await chosen(visitor)).toBe(first);
    await choose(visitor);
    await visitor.pressButton("Save");
    await page.getByText("Say who.").waitFor();
    expect(await chosen(visitor)).toBe(other);

    await visitor.pressButton("Add a person");
    const adult = (row: number) => ` people[${row}].kind=adult`;
    const child = (row: number) => ` people[${row}].kind=child people[${row}].vegan=on`;
    // A new row has what is chosen at first.
    expect(await chosen(visitor)).toBe(other + adult(0));
    await visitor.pressButton("Add a person");
    await page.getByLabel("child 2").check();
    await page.getByLabel("Vegan 2").check();
    await visitor.pressButton("Add a person");
    expect(await chosen(visitor)).toBe(other + adult(0) + child(1) + adult(2));
    await visitor.pressButton("Remove 1");
    expect(await chosen(visitor)).toBe(other + child(0) + adult(1));

    for (const colour of ["red", "blue"]) await page.getByLabel(colour).uncheck();
    await page.getByLabel("Days").selectOption([]);
    await visitor.pressButton("Save");
    await page.getByText("Choose a colour.").waitFor();
    const ids = await page
      .locator("[type=checkbox][aria-invalid=true]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-describedby")));
    expect(ids).toEqual(Array(3).fill(await page.getByText("Choose a colour.").getAttribute("id")));
    expect(await chosen(visitor)).toBe(`size=l${child(0)}${adult(1)}`);
  });

  test("choices that the browser itself has sent come back after a refusal and a reload, also what was taken away", async ({
    visit,
    proxy,
  }) => {
    const gate = proxy.when(/_assets\/.*\.js/).hold();
    const visitor = (await visit("/prefs")).expecting(/422/);
    const { page } = visitor;
    await choose(visitor);
    await page.getByLabel("Days").selectOption([]);
    await visitor.pressButton("Save");
    await page.getByText("Say who.").waitFor();
    const withoutDays = other.replace(/ days.*/, "");
    expect(await chosen(visitor)).toBe(withoutDays);
    gate.release();
    await visitor.isAwake();
    await expect.poll(() => page.evaluate(() => window.oninput)).toBe(null);
    await page.reload();
    await visitor.isAwake();
    await expect.poll(() => chosen(visitor)).toBe(withoutDays);
    expect(await page.getByText("Say who.").count()).toBe(0);
  });

  test("choices in the browser stay over a refusal, a change of rows and a reload, and are those of the page after success", async ({
    visit,
    proxy,
  }) => {
    const visitor = (await visit("/prefs")).expecting(/422/);
    const { page } = visitor;
    await visitor.isAwake();
    await choose(visitor);
    await visitor.pressButton("Add a person");
    await page.getByLabel("child 1").check();
    await visitor.pressButton("Add a person");
    await page.getByLabel("Vegan 2").check();
    await visitor.pressButton("Remove 1");
    const rest = " people[0].kind=adult people[0].vegan=on";
    await expect.poll(() => chosen(visitor)).toBe(other + rest);

    // What is chosen while the form is on its way counts more than what was sent.
    const gate = proxy.when(/_action\/save/).hold();
    await visitor.pressButton("Save");
    await gate.taken();
    await page.getByLabel("s", { exact: true }).check();
    gate.release();
    await page.getByText("Say who.").first().waitFor();
    await expect.poll(() => chosen(visitor)).toBe(other.replace("=l", "=s") + rest);
    await page.reload();
    await visitor.isAwake();
    await expect.poll(() => chosen(visitor)).toBe(other.replace("=l", "=s") + rest);

    await visitor.fillIn("Name", "Ada");
    await visitor.fillIn("Name 1", "Eve");
    await page.getByLabel("blue").uncheck();
    await visitor.pressButton("Save");
    const people = [{ name: "Eve", kind: "adult", vegan: "on" }];
    const saved = { name: "Ada", size: "s", colors: ["red"], days: ["Monday", "Friday"], people };
    await expect.poll(() => page.locator("output").textContent()).toBe(JSON.stringify(saved));
    // Lists keep what was chosen.
    await expect.poll(() => chosen(visitor)).toBe(first.replace("Tuesday", "Monday days[]=Friday"));
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
