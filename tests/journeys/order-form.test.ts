import { describe, expect } from "vitest";
import { journey, type Visitor, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/forms" });

/** Amount and note of each row, and its message. */
async function rows(visitor: Visitor): Promise<string[]> {
  return visitor.page.locator("fieldset").evaluateAll((all) =>
    all.map((row) => {
      const [amount, note] = row.querySelectorAll("input");
      return [amount?.value, note?.value, row.querySelector("[role=alert]")?.textContent].join(" ").trim();
    }),
  );
}

async function fill(visitor: Visitor, row: number, amount: string, note: string): Promise<void> {
  await visitor.fillIn(`Amount ${row}`, amount);
  await visitor.fillIn(`Note ${row}`, note);
}

/** The name of the field or button that has the focus. */
const focused = (visitor: Visitor): Promise<string | null> =>
  visitor.page.evaluate(() => document.activeElement?.getAttribute("name") ?? null);

const posts = (visitor: Visitor, page = "order"): number =>
  visitor.requestsFor(new RegExp(`${page}/_action|_action/order`)).length;

describe("rows of a list", () => {
  test("rows are added and removed in place, with their text and messages, and come back after a reload", async ({
    visit,
  }) => {
    const visitor = (await visit("/order")).expecting(/422/, /500/);
    const { page } = visitor;
    await visitor.isAwake();
    await fill(visitor, 1, "1", "first");
    await visitor.pressButton("Add a line");
    await expect.poll(() => focused(visitor)).toBe("lines[1].amount");
    await fill(visitor, 2, "2", "second");
    await visitor.pressButton("Add a line");
    await expect.poll(() => focused(visitor)).toBe("lines[2].amount");
    await fill(visitor, 3, "none", "third");
    await visitor.pressButton("Remove 2");
    await expect.poll(() => rows(visitor)).toEqual(["1 first", "none third"]);
    expect(posts(visitor)).toBe(0);

    await page.reload();
    await visitor.isAwake();
    await expect.poll(() => rows(visitor)).toEqual(["1 first", "none third"]);

    await visitor.fillIn("Customer", "Ada");
    await visitor.fillIn("City", "Bonn");
    await page.getByLabel("Mint").check();
    // Enter sends the form. It presses no button of a row.
    await page.getByLabel("City").press("Enter");
    await expect.poll(() => rows(visitor)).toEqual(["1 first", "none third Say how many."]);
    await expect.poll(() => focused(visitor)).toBe("lines[1].amount");
    await visitor.pressButton("Remove 1");
    await expect.poll(() => rows(visitor)).toEqual(["none third Say how many."]);

    // A failure brings no values. The row that was added stays.
    await visitor.pressButton("Add a line");
    await fill(visitor, 1, "3", "third");
    await fill(visitor, 2, "4", "fourth");
    await visitor.fillIn("Customer", "Thief");
    await visitor.pressButton("Order");
    await page.getByText("failed", { exact: true }).waitFor();
    expect(await rows(visitor)).toHaveLength(2);
    await visitor.fillIn("Customer", "Ada");
    await visitor.pressButton("Order");
    const lines = [
      { amount: 3, note: "third" },
      { amount: 4, note: "fourth" },
    ];
    const ordered = { customer: "Ada", address: { city: "Bonn" }, lines, toppings: ["Mint"] };
    await expect.poll(() => page.locator("output").textContent()).toBe(JSON.stringify(ordered));
    await expect.poll(() => rows(visitor)).toEqual([""]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  test("quick presses all count, and a row takes the focus only at its press", async ({ visit }) => {
    const visitor = await visit("/order");
    const { page } = visitor;
    await visitor.isAwake();
    const three = page.getByLabel("Amount 3");
    await page.getByRole("button", { name: "Add a line" }).evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
    await three.waitFor();
    expect(await rows(visitor)).toHaveLength(3);
    // In the next task, as the visitor's next key is, the row has had the focus already.
    await page.getByRole("button", { name: "Add a line" }).evaluate(async (button: HTMLButtonElement) => {
      button.click();
      await new Promise((resolve) => setTimeout(resolve));
      document.querySelector<HTMLInputElement>("[name='lines[0].amount']")?.focus();
    });
    await page.getByLabel("Amount 4").waitFor();
    expect(await focused(visitor)).toBe("lines[0].amount");
    // A button that is pressed twice removes its own row only.
    await page.getByRole("button", { name: "Remove 2" }).evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
    await page.getByLabel("Amount 4").waitFor({ state: "detached" });
    expect(await rows(visitor)).toHaveLength(3);
  });

  test("presses that wait for code are all handled, one after another", async ({ visit }) => {
    const visitor = await visit("/open");
    const { page } = visitor;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route(/form-extras/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(new URL("/order", page.url()).href);
    await visitor.isAwake();
    const add = page.getByRole("button", { name: "Add a line" });
    await add.click();
    await add.click();
    await visitor.fillIn("Amount 1", "5");
    expect(await rows(visitor)).toEqual(["5"]);
    release();
    await page.getByLabel("Amount 3").waitFor();
    expect(await rows(visitor)).toEqual(["5", "", ""]);
    expect(posts(visitor)).toBe(0);
  });

  test("rows are added and removed without JavaScript, and nothing is ordered until it fits", async ({ visit }) => {
    const visitor = (await visit("/order", withoutJavaScript)).expecting(/422/);
    const { page } = visitor;
    await fill(visitor, 1, "1", "first");
    await visitor.fillIn("Customer", "Ada");
    await visitor.pressButton("Add a line");
    await fill(visitor, 2, "none", "second");
    await visitor.pressButton("Add a line");
    await fill(visitor, 3, "3", "third");
    await visitor.pressButton("Remove 1");
    await expect.poll(() => rows(visitor)).toEqual(["none second", "3 third"]);
    await page.getByLabel("Customer").press("Enter");
    await page.getByText("Say a city.").waitFor();
    expect(await rows(visitor)).toEqual(["none second Say how many.", "3 third"]);
    expect(await page.getByLabel("Customer").inputValue()).toBe("Ada");
    await visitor.fillIn("City", "Bonn");
    await visitor.pressButton("Remove 1");
    await visitor.pressButton("Order");
    await page.getByText('"lines":[{"amount":3,"note":"third"}]').waitFor();
    expect(await rows(visitor)).toEqual([""]);
  });
});

describe("a list without rows", () => {
  for (const [how, name, options] of [
    ["sent with JavaScript", "Plain", {}],
    ["checked in the browser", "Checked", {}],
    ["sent without JavaScript", "Plain", withoutJavaScript],
  ] as const)
    test(`is an empty list when it is ${how}, and its message is at the button that adds a row`, async ({ visit }) => {
      const isChecked = name === "Checked";
      const visitor = (await visit("/invoice", options)).expecting(...(isChecked ? [] : [/422/]));
      const form = visitor.page.getByRole("form", { name });
      const button = (label: string) => form.getByRole("button", { name: label });
      const alert = form.getByRole("alert");
      if (options !== withoutJavaScript) await visitor.isAwake();
      await form.getByLabel("City").fill("Bonn");
      await button("Save").click();
      await form.getByText("One line at least.").waitFor();
      expect(await button("Add a line").getAttribute("aria-describedby")).toBe(await alert.getAttribute("id"));
      if (options !== withoutJavaScript) await expect.poll(() => focused(visitor)).toBe("_rows");
      expect(posts(visitor, "invoice")).toBe(isChecked ? 0 : 1);

      // Other rows than those that the message is about.
      await button("Add a line").click();
      await form.getByLabel("Text 1").waitFor();
      expect(await alert.count()).toBe(0);
      for (const _ of [2, 3]) await button("Add a line").click();
      await form.getByLabel("Text 3").waitFor();
      await button("Remove 2").click();
      await form.getByLabel("Text 3").waitFor({ state: "detached" });
      for (const at of [2, 1]) await button(`Remove ${at}`).click();
      await form.getByLabel("Text 1").waitFor({ state: "detached" });
      await button("Save").click();
      await form.getByText("One line at least.").waitFor();
      await button("Add a line").click();
      await form.getByLabel("Text 1").fill("Lamp");
      await button("Save").click();
      await form.getByText('{"city":"Bonn","lines":[{"text":"Lamp"}]}').waitFor();
    });

  test("an action refuses a list as a whole", async ({ visit }) => {
    const visitor = (await visit("/invoice")).expecting(/422/);
    const form = visitor.page.getByRole("form", { name: "Checked" });
    await visitor.isAwake();
    await form.getByLabel("City").fill("Bonn");
    for (const _ of [1, 2, 3]) await form.getByRole("button", { name: "Add a line" }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Two lines at most.").waitFor();
    await expect.poll(() => focused(visitor)).toBe("_rows");
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  for (const [how, options] of [
    ["with", {}],
    ["without", withoutJavaScript],
  ] as const)
    test(`never has fewer rows than atLeast says, ${how} JavaScript`, async ({ visit }) => {
      const visitor = await visit("/invoice", options);
      const form = visitor.page.getByRole("form", { name: "Kept" });
      if (options !== withoutJavaScript) await visitor.isAwake();
      expect(await form.getByRole("button", { name: "Remove 1" }).isDisabled()).toBe(true);
      await form.getByRole("button", { name: "Add a line" }).click();
      await form.getByLabel("Text 2").fill("stays");
      await form.getByRole("button", { name: "Remove 1" }).click();
      await form.getByLabel("Text 2").waitFor({ state: "detached" });
      expect(await form.getByLabel("Text 1").inputValue()).toBe("stays");
      expect(await form.getByRole("button", { name: "Remove 1" }).isDisabled()).toBe(true);
    });
});

/** Each message with the name of its field. */
async function messages(visitor: Visitor): Promise<string[]> {
  return visitor.page.getByRole("alert").evaluateAll((all) =>
    all.map((message) => {
      const field = document.querySelector(`[aria-describedby="${message.id}"][aria-invalid=true]`);
      return `${field?.getAttribute("name")}: ${message.textContent}`;
    }),
  );
}

const allMissing = ["customer: Say who orders.", "address.city: Say a city.", "lines[0].amount: Say how many."];

describe("a form with a schema in the browser", () => {
  test("a form that does not fit is not sent, and its messages follow what is typed", async ({ visit }) => {
    const visitor = (await visit("/checked")).expecting(/422/, /The schema is broken/);
    const { page } = visitor;
    await visitor.isAwake();
    await visitor.pressButton("Order");
    await expect.poll(() => messages(visitor)).toEqual(allMissing);
    expect(await focused(visitor)).toBe("customer");
    await visitor.fillIn("Customer", "Taken");
    await expect.poll(() => messages(visitor)).toEqual(allMissing.slice(1));
    await visitor.fillIn("City", "Bonn");
    await visitor.fillIn("Amount", "0");
    await expect.poll(() => messages(visitor)).toEqual(allMissing.slice(2));
    await visitor.pressButton("Order");
    await expect.poll(() => focused(visitor)).toBe("lines[0].amount");
    expect(posts(visitor)).toBe(0);

    // What only the server knows stays until its field changes.
    await visitor.fillIn("Amount", "1");
    await visitor.pressButton("Order");
    await expect.poll(() => messages(visitor)).toEqual(["customer: There is one of this name."]);
    await visitor.fillIn("City", "");
    const both = ["customer: There is one of this name.", "address.city: Say a city."];
    await expect.poll(() => messages(visitor)).toEqual(both);
    await visitor.fillIn("City", "Bonn");
    await visitor.fillIn("Customer", "Ada");
    await expect.poll(() => messages(visitor)).toEqual([]);
    await visitor.pressButton("Order");
    await page.getByText("Ada", { exact: true }).waitFor();
    expect(posts(visitor)).toBe(2);

    // The server decides where the schema itself fails.
    await visitor.pressButton("Send");
    await page.getByText("sent", { exact: true }).waitFor();
  });

  test("a form without JavaScript is refused by the server with the same messages in the same places", async ({
    visit,
  }) => {
    const visitor = (await visit("/checked", withoutJavaScript)).expecting(/422/);
    await visitor.pressButton("Order");
    await expect.poll(() => messages(visitor)).toEqual(allMissing);
  });
});

describe("a form that asks before it is left", () => {
  test("a changed form asks at a link, at Back and Forward and at a reload, and no longer once it was sent", async ({
    visit,
  }) => {
    const visitor = await visit("/checked");
    const { page } = visitor;
    const asked: string[] = [];
    let leaves = false;
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void (leaves ? dialog.accept() : dialog.dismiss());
    });
    const state = () => page.locator("em").textContent();
    await visitor.isAwake();
    await visitor.clickLink("Elsewhere");
    await visitor.sees(/^Open/);
    await page.goBack();
    await visitor.sees("Checked");
    expect(await state()).toBe("saved");

    await visitor.fillIn("Customer", "Ada");
    await expect.poll(state).toBe("changed");
    await visitor.clickLink("Elsewhere");
    await expect.poll(() => asked).toEqual(["confirm"]);
    await page.evaluate(() => history.forward());
    await expect.poll(() => asked).toEqual(["confirm", "confirm"]);
    await page.evaluate(() => location.reload());
    await expect.poll(() => asked).toEqual(["confirm", "confirm", "beforeunload"]);
    expect(new URL(page.url()).pathname).toBe("/checked");
    await visitor.fillIn("Customer", "");
    await expect.poll(state).toBe("saved");

    await visitor.fillIn("Customer", "Ada");
    await visitor.fillIn("City", "Bonn");
    await visitor.fillIn("Amount", "1");
    await visitor.pressButton("Order");
    await page.getByText("Ada", { exact: true }).waitFor();
    await expect.poll(state).toBe("saved");
    await visitor.clickLink("Elsewhere");
    await visitor.sees(/^Open/);
    expect(asked).toHaveLength(3);

    // Who leaves all the same finds the text as a draft, which is not saved either.
    await page.goBack();
    await visitor.sees("Checked");
    await visitor.fillIn("Customer", "Eve");
    await expect.poll(state).toBe("changed");
    leaves = true;
    await page.evaluate(() => history.forward());
    await visitor.sees(/^Open/);
    expect(asked).toHaveLength(4);
    await page.goBack();
    await visitor.sees("Checked");
    await expect.poll(state).toBe("changed");
    expect(await page.getByLabel("Customer").inputValue()).toBe("Eve");
  });
});
