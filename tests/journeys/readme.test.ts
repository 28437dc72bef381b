import { describe, expect } from "vitest";
import { application, inKolkata, inNewYork, journey } from "../kit/index.ts";
import { readmeFiles } from "../kit/readme-files.ts";

const test = journey({ app: application(readmeFiles()) });

describe("a reader who follows the README", () => {
  test("sees the first page and follows its link without leaving the document", async ({ visit }) => {
    const visitor = await visit("/");
    await visitor.sees("Hello");
    await visitor.isAwake();
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    await visitor.page.getByText("Ada, Mar 1, 2026").waitFor();
    expect(visitor.address).toBe("/orders/7");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test.for([
    ["New York", inNewYork],
    ["Kolkata", inKolkata],
  ] as const)("sees the same day in %s as the server", async ([, zone], { visit }) => {
    const visitor = await visit("/orders/7", zone);
    await visitor.isAlive();
    expect(await visitor.page.getByText("Ada").textContent()).toBe("Ada, Mar 1, 2026");
  });

  test("gets a not-found page for an unknown order", async ({ visit, proxy }) => {
    const visitor = await visit("/orders/8");
    visitor.expecting(/404/);
    await visitor.sees("not found");
    expect(proxy.requestsFor("/orders/8")[0]?.status).toBe(404);
  });
});
