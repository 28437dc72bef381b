import { findChromium } from "../../scripts/find-chromium.js";

/**
 * Before tests in browsers: Chromium is installed once for all of them, also when Vitest is called by hand. Two workers
 * that install it at the same time lock each other out. Where there is none, each test that opens a browser says why.
 */
export default function withChromium(): void {
  const found = findChromium();
  if (found.kind === "found") process.env.CHROMIUM_PATH = found.path;
}
