import { basename } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { expect } from "vitest";
import { findChromium } from "../../scripts/find-chromium.js";

/** Half of the test files run west of UTC, half east of it: no page may depend on the zone. */
const zones = ["America/New_York", "Asia/Kolkata"] as const;

/** Opens a Chromium that contacts no server except the page's own. Outside of a test, the caller sets the time zone. */
export async function openBrowser(timeZone = zoneOf(expect.getState().testPath ?? "")): Promise<Browser> {
  const found = findChromium();
  if (found.kind === "missing") throw new Error(found.why);
  return await chromium.launch({
    executablePath: found.path,
    env: { ...process.env, TZ: timeZone },
    args: [
      "--no-sandbox",
      "--disable-gpu",
      // One process less for each browser, which is a tenth of its work.
      "--in-process-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** The same file gets the same zone in every run. */
function zoneOf(testFile: string): string {
  const sum = [...basename(testFile)].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return zones[sum % zones.length] ?? "UTC";
}
