import { describe, expect } from "vitest";
import { journey, type Visitor } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/forms" });

/** Which code has not arrived when the visitor types, and what the page is then. */
const early = [
  ["any code", /_assets\/.*\.js/, async () => undefined],
  ["the code after hydration", /_assets\/later/, (visitor: Visitor) => visitor.isAlive()],
  ["the code of forms", /_assets\/live-page/, (visitor: Visitor) => visitor.isAwake()],
  ["the code that asks", /_assets\/form-extras/, (visitor: Visitor) => visitor.isAwake()],
] as const;

interface Questions {
  /** The kinds of questions so far. */
  asked: string[];
  leaves: boolean;
}

function answering({ page }: Visitor): Questions {
  const questions: Questions = { asked: [], leaves: false };
  page.on("dialog", (dialog) => {
    questions.asked.push(dialog.type());
    void (questions.leaves ? dialog.accept() : dialog.dismiss());
  });
  return questions;
}

/** By keys, because browsers ask only who has used the page. */
async function type({ page }: Visitor, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).pressSequentially(text);
}

const customer = ({ page }: Visitor): Promise<string> => page.getByLabel("Customer").inputValue();

/** Neither waits until the page is left. */
const steps = {
  "a click on a link": ({ page }: Visitor) =>
    page.evaluate(() => setTimeout(() => document.querySelector<HTMLElement>("a[href='/open']")?.click())),
  Back: ({ page }: Visitor) => page.evaluate(() => history.back()),
  "a reload": ({ page }: Visitor) => page.evaluate(() => setTimeout(() => location.reload())),
};

describe("a form that asks before it is left, and is left before its code has arrived", () => {
  for (const [code, file, ready] of early)
    for (const [how, leave] of Object.entries(steps))
      test(`${how} before ${code} is here is asked about, once, and what was typed stays`, async ({ visit, proxy }) => {
        // From the first page on, so that the browser has nothing in its cache.
        const gate = proxy.when(file).hold();
        const visitor = await visit("/open");
        const { page } = visitor;
        await page.goto(new URL("/checked", page.url()).href, { waitUntil: "domcontentloaded" });
        await gate.taken();
        await ready(visitor);
        const questions = answering(visitor);
        await type(visitor, "Customer", "Ada");
        await leave(visitor);
        // The browser asks by itself, or the page does when the code that the click waits for is here.
        if (file.source.includes("live-page") && how !== "a reload") gate.release();
        await expect.poll(() => questions.asked).toHaveLength(1);
        expect(await customer(visitor)).toBe("Ada");
        expect(visitor.address).toBe("/checked");

        gate.release();
        await expect.poll(() => page.locator("em").textContent()).toBe("changed");
        expect(await customer(visitor)).toBe("Ada");
        expect(questions.asked).toHaveLength(1);
        await leavesAfterAll(visitor, questions);
        expect(questions.asked).toHaveLength(2);
      });

  for (const [code, file, ready] of early.slice(1, 3))
    test(`Back within the document before ${code} is here is asked about, once, and what was typed stays`, async ({
      visit,
    }) => {
      const visitor = await visit("/open");
      const { page } = visitor;
      await visitor.isAwake();
      await followLinkToForm(visitor);
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      // Not by the proxy: the browser has the code in its cache.
      await page.route(file, async (route) => {
        asked.resolve();
        await released.promise;
        await route.continue();
      });
      await page.reload({ waitUntil: "domcontentloaded" });
      await asked.promise;
      await ready(visitor);
      const questions = answering(visitor);
      await type(visitor, "Customer", "Ada");
      await page.evaluate(() => history.back());
      released.resolve();
      await expect.poll(() => questions.asked).toEqual(["confirm"]);
      await expect.poll(() => visitor.address).toBe("/checked");
      expect(await customer(visitor)).toBe("Ada");
      await leavesAfterAll(visitor, questions);
      expect(questions.asked).toHaveLength(2);
    });

  for (const [how, leave] of Object.entries(steps))
    test(`${how} from a page to which a link has led is asked about, once`, async ({ visit, proxy }) => {
      const visitor = await visit("/open");
      await visitor.isAwake();
      const gate = proxy.when(/_assets\/form-extras/).hold();
      await followLinkToForm(visitor);
      await gate.taken();
      const questions = answering(visitor);
      await type(visitor, "Customer", "Ada");
      await leave(visitor);
      if (how !== "a reload") gate.release();
      await expect.poll(() => questions.asked).toEqual([how === "a reload" ? "beforeunload" : "confirm"]);
      gate.release();
      await expect.poll(() => visitor.address).toBe("/checked");
      expect(await customer(visitor)).toBe("Ada");
      await leavesAfterAll(visitor, questions);
      expect(questions.asked).toHaveLength(2);
      expect(visitor.documentsLoaded).toBe(1);
    });

  test("a form in which nothing has changed is left without a question", async ({ visit, proxy }) => {
    const gate = proxy.when(/_assets\/form-extras/).hold();
    const visitor = await visit("/checked");
    const questions = answering(visitor);
    await visitor.isAwake();
    await gate.taken();
    await type(visitor, "Customer", "A");
    await visitor.page.keyboard.press("Backspace");
    await steps["a click on a link"](visitor);
    gate.release();
    await visitor.sees(/^Open/);
    expect(questions.asked).toEqual([]);
  });

  test("a form that the browser itself sends is sent without a question", async ({ visit, proxy }) => {
    const gate = proxy.when(/_assets\/entry/).hold();
    const visitor = (await visit("/checked")).expecting(/422/);
    const questions = answering(visitor);
    await gate.taken();
    await type(visitor, "Customer", "Ada");
    await visitor.pressButton("Order");
    await visitor.page.getByText("Say a city.").waitFor();
    gate.release();
    expect(questions.asked).toEqual([]);
  });
});

/** The page that a link leads to. Later the same link is ignored while the browser may still be loading its page. */
async function leavesAfterAll({ page }: Visitor, questions: Questions): Promise<void> {
  questions.leaves = true;
  await expect
    .poll(async () => {
      await page.evaluate(() => document.querySelector<HTMLElement>("a[href='/open']")?.click());
      return page.locator("h1").textContent();
    })
    .toMatch(/^Open/);
}

async function followLinkToForm(visitor: Visitor): Promise<void> {
  await visitor.page.evaluate(() => {
    const link = Object.assign(document.createElement("a"), { href: "/checked" });
    document.body.append(link);
    link.click();
  });
  await visitor.sees("Checked");
}
