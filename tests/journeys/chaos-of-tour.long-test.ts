import { expect, test } from "vitest";
import { buildApp, runHoldfast } from "../kit/index.ts";

// A short run has an application of two links. The tour has layouts, styles and slow pages besides.
test("the tour's links survive every fault", async () => {
  await buildApp("tour");
  const { code, log } = await runHoldfast(["chaos", "tour", "--links", "2"]);
  expect(log).toContain("14 clicks, 0 ended badly.");
  expect(code).toBe(0);
}, 300_000);
