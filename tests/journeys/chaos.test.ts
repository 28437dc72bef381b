import { expect, test } from "vitest";
import { buildApp, runHoldfast } from "../kit/index.ts";

test("an application's own links survive every fault, and the command reports it", async () => {
  await buildApp("tests/fixtures/walk");
  const { code, log } = await runHoldfast(["chaos", "tests/fixtures/walk", "--links", "2"]);
  expect(log).toContain("14 clicks, 0 ended badly.");
  expect(log).toMatch(/page data never comes\s+arrived after \d+\.\d s by a full load/);
  expect(log).toMatch(/the connection is lost\s+stayed, said so, and arrived once the connection was back/);
  expect(code).toBe(0);
}, 240_000);

test("the tour's links survive every fault", async () => {
  await buildApp("tour");
  const { code, log } = await runHoldfast(["chaos", "tour", "--links", "2"]);
  expect(log).toContain("14 clicks, 0 ended badly.");
  expect(code).toBe(0);
}, 300_000);
