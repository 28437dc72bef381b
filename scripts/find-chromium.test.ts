import { afterEach, expect, test, vi } from "vitest";
import { findChromium } from "./find-chromium.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("the Chromium that CHROMIUM_PATH names is used", () => {
  vi.stubEnv("CHROMIUM_PATH", process.execPath);
  expect(findChromium()).toEqual({ kind: "found", path: process.execPath });
});

test("a CHROMIUM_PATH without a program is reported, not ignored", () => {
  vi.stubEnv("CHROMIUM_PATH", "/nowhere/chromium");
  expect(findChromium()).toMatchObject({
    kind: "missing",
    why: expect.stringMatching(/\/nowhere\/chromium.*(?:apt-get install chromium|install Chromium)/),
  });
});
