import { expect } from "vitest";
import type { Visitor } from "../kit/index.ts";
import { walk as test } from "./walk.ts";

test("two hundred navigations leak no memory", async ({ arrive }) => {
  const visitor = await arrive("/");
  // Until the bounded lists are full.
  await goRound(visitor, 300);
  const before = await countKept(visitor);
  await goRound(visitor, 200);
  const after = await countKept(visitor);
  // A leak keeps at least one object, node or listener for each navigation.
  expect(after.objects - before.objects).toBeLessThan(200);
  expect(after.nodes - before.nodes).toBeLessThan(200);
  expect(after.listeners - before.listeners).toBeLessThan(200);
  expect(visitor.documentsLoaded).toBe(1);
});

test("of five hundred quick clicks the last one wins", async ({ arrive }) => {
  const visitor = await arrive("/");
  await visitor.page.mouse.move(300, 300);
  await visitor.page.evaluate(async () => {
    const paths = ["/orders", "/tall", "/plain", "/late", "/"];
    for (let click = 0; click < 500; click++) {
      const path = click === 499 ? "/tall" : paths[click % paths.length];
      document.querySelector<HTMLElement>(`a[href='${path}']`)?.click();
      if (click % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  await visitor.sees("Tall");
  // A response to an earlier click could only replace the page while its request is open.
  await expect.poll(() => visitor.requestsFor(/_data/).filter(({ end }) => end === "open")).toEqual([]);
  await visitor.sees("Tall");
  expect(visitor.address).toBe("/tall");
  expect(visitor.documentsLoaded).toBe(1);
});

test("ten thousand links on a page prefetch no more than the limit allows, and the page stays usable", async ({
  arrive,
}) => {
  const visitor = await arrive("/many?links=10000", { viewport: { width: 1200, height: 900 } });
  await visitor.page.evaluate(async () => {
    for (let top = 0; top < document.body.scrollHeight; top += 900) {
      scrollTo(0, top);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  const prefetches = visitor.requestsFor(/orders\/\d+\/_data/);
  expect(prefetches.length).toBeGreaterThan(0);
  // The burst of 20, and the refill of the bucket during the scrolling.
  expect(prefetches.length).toBeLessThanOrEqual(50);
  await visitor.page.evaluate(() => document.querySelector<HTMLElement>("a[href='/tall']")?.click());
  await visitor.sees("Tall");
  expect(visitor.documentsLoaded).toBe(1);
});

/** Navigates by links that are on every page, each to its end. */
async function goRound(visitor: Visitor, times: number): Promise<void> {
  await visitor.page.evaluate(async (rounds) => {
    const stops = [
      ["/orders", "Orders"],
      ["/tall", "Tall"],
      ["/plain", "Plain"],
      ["/", "Home"],
    ] as const;
    for (let round = 0; round < rounds; round++) {
      const [path, heading] = stops[round % stops.length] ?? ["/", "Home"];
      document.querySelector<HTMLElement>(`a[href='${path}']`)?.click();
      while (document.querySelector("h1")?.textContent !== heading)
        await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }, times);
}

/** Counts the page's own objects. The size of the heap includes compiled code, which grows as the browser optimizes. */
async function countKept(visitor: Visitor): Promise<{ objects: number; nodes: number; listeners: number }> {
  const session = await visitor.page.context().newCDPSession(visitor.page);
  // The browser's own list of the last 250 requests, which scripts of the page read.
  await visitor.page.evaluate(() => performance.clearResourceTimings());
  // Twice: objects released by finalizers are collected only then.
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { result: base } = await session.send("Runtime.evaluate", { expression: "Object.prototype" });
  const { objects: found } = await session.send("Runtime.queryObjects", { prototypeObjectId: base.objectId ?? "" });
  const { result: length } = await session.send("Runtime.callFunctionOn", {
    functionDeclaration: "function () { return this.length }",
    objectId: found.objectId ?? "",
  });
  const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
  await session.detach();
  return { objects: Number(length.value), nodes, listeners: jsEventListeners };
}
