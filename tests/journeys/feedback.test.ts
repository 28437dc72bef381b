import { expect } from "vitest";
import { application, journeyThrough, startApp, withoutJavaScript } from "../kit/index.ts";
import { breaksNoRule } from "./console/accessible.ts";

const shop = application({
  "holdfast.config.ts": `export default { console: { authorize: () => ({ name: "ada@example.org", roles: "owner" }) } };`,
  "src/pages/index.tsx": `export default function Home() { return <main><title>Shop</title><h1>Shop</h1><a href="/help">Help</a></main>; }`,
  "src/pages/help.tsx": `import { Feedback } from "holdfast";
export default function Help() {
  return <main><title>Help</title><h1>Help</h1><Feedback words={{ question: "What is missing?" }} /></main>;
}`,
});

const test = journeyThrough(() => startApp({ app: shop }));

test("what a visitor writes into <Feedback /> is on its screen with page, route and steps, and is no issue", async ({
  visit,
}) => {
  const visitor = await visit("/");
  await visitor.isAlive();
  await visitor.page.getByRole("link", { name: "Help" }).click();
  await visitor.sees("Help");
  await breaksNoRule(visitor, "a page with <Feedback />");
  await visitor.page.getByLabel("What is missing?").fill("A <b>search</b>.");
  await visitor.page.getByLabel("E-mail (optional)").fill("jo@shop.test");
  // From a field of one line, Enter sends the form.
  await visitor.page.keyboard.press("Enter");
  const thanks = visitor.page.getByRole("status").filter({ hasText: "Thank you" });
  await thanks.waitFor();
  expect(await thanks.evaluate((element) => element === document.activeElement)).toBe(true);

  const operator = await visit("/_holdfast/1/feedback");
  const words = operator.page.getByRole("article").filter({ hasText: "A <b>search</b>." });
  await expect
    .poll(async () => {
      await operator.page.reload();
      return words.count();
    })
    .toBe(1);
  const text = (await words.textContent()) ?? "";
  expect(text).toContain("jo@shop.test wrote");
  expect(text).toContain("/help");
  expect(text).toMatch(/left \/ for \/help|came to \/help/);
  await operator.goTo("/_holdfast/1/issues");
  const issues = await operator.page.locator("main [data-row]").allInnerTexts();
  // A machine that is busy with other tests may block the event loop, which is an issue of its own.
  expect(issues.filter((row) => !row.includes("Event loop blocked"))).toEqual([]);
});

test("<Feedback /> works without JavaScript", async ({ visit }) => {
  const visitor = await visit("/help", withoutJavaScript);
  await visitor.page.getByLabel("What is missing?").fill("A page without scripts.");
  await visitor.page.getByRole("button", { name: "Send" }).click();
  await visitor.page.getByText("We have received what you wrote.").waitFor();
  const operator = await visit("/_holdfast/1/feedback", withoutJavaScript);
  await expect
    .poll(async () => {
      await operator.page.reload();
      return operator.page.getByText("A page without scripts.").count();
    })
    .toBe(1);
});

test("<Feedback /> keeps the text when it cannot be sent, and says so", async ({ visit }) => {
  const visitor = await visit("/help");
  await visitor.isAlive();
  await visitor.page.route("**/_holdfast/feedback", (route) => route.abort());
  visitor.expecting(/ERR_FAILED|Failed to load/);
  await visitor.page.getByLabel("What is missing?").fill("Still here.");
  await visitor.page.getByRole("button", { name: "Send" }).click();
  await visitor.page.getByRole("alert").filter({ hasText: "could not be sent" }).waitFor();
  expect(await visitor.page.getByLabel("What is missing?").inputValue()).toBe("Still here.");
});
