import { afterEach, expect, test, vi } from "vitest";
import { environmentForApt } from "./debian-packages.js";
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

test("apt gets a proxy in lower case, also where the machine names it in upper case", () => {
  const upperCase = {
    HTTP_PROXY: "http://proxy:1",
    HTTPS_PROXY: "http://proxy:2",
    NO_PROXY: "localhost",
    PATH: "/bin",
  };
  expect(environmentForApt(upperCase)).toMatchObject({
    ...upperCase,
    http_proxy: "http://proxy:1",
    https_proxy: "http://proxy:2",
    no_proxy: "localhost",
  });
  expect(environmentForApt({ ...upperCase, http_proxy: "http://own:3" })).toMatchObject({ http_proxy: "http://own:3" });
  expect(environmentForApt({ PATH: "/bin" })).not.toHaveProperty("http_proxy");
});
