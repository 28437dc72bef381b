import { expect } from "vitest";
import { journey } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/walk" });

test("a page becomes alive without a word of complaint", async ({ visit }) => {
  const visitor = await visit("/");
  await visitor.pressButton("Alive 0");
  await visitor.page.getByRole("button", { name: "Alive 1" }).waitFor();
});

test("a click shows the page with one data request and no new document", async ({ visit }) => {
  const visitor = await visit("/");
  await visitor.clickLink("Order 7");
  await visitor.sees("Order 7");
  expect(visitor.address).toBe("/orders/7");
  expect(visitor.documentsLoaded).toBe(1);
  expect(visitor.requestsFor(/_data/).map(({ path }) => path)).toEqual(["/orders/7/_data"]);
  await expect.poll(() => visitor.page.title()).toBe("Order 7");
});

test("a plain link is a link like the others", async ({ visit }) => {
  const visitor = await visit("/");
  await visitor.clickLink("Plain");
  await visitor.sees("Plain");
  expect(visitor.documentsLoaded).toBe(1);
});
