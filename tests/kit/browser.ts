import { basename } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { expect } from "vitest";
import { findChromium } from "../../scripts/find-chromium.js";

/** Half of the test files look on from west of UTC, half from east of it: what a page shows may not depend on it. */
const zones = ["America/New_York", "Asia/Kolkata"] as const;

/** A Chromium that asks no server but the page's own server. Outside of a test, the caller names the time zone. */
export async function openBrowser(timeZone = zoneOf(expect.getState().testPath ?? "")): Promise<Browser> {
  const found = findChromium();
  if (found.kind === "missing") throw new Error(found.why);
  return await chromium.launch({
    executablePath: found.path,
    env: { ...process.env, TZ: timeZone },
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** The same at every run. */
function zoneOf(testFile: string): string {
  const sum = [...basename(testFile)].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return zones[sum % zones.length] ?? "UTC";
}
