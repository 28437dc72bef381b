import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../../scripts/find-chromium.js";

/** A Chromium that asks nobody but the page's own server. */
export async function openBrowser(): Promise<Browser> {
  const found = findChromium();
  if (found.kind === "missing") throw new Error(found.why);
  return await chromium.launch({
    executablePath: found.path,
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
