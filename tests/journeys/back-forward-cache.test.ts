import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { findChromiumWithWindows } from "../../scripts/find-chromium.js";
import { startApp } from "../kit/index.ts";

/**
 * Playwright disables the back/forward cache, so this test launches its own Chromium. The page must be cacheable:
 * `no-store`, which dynamic pages have, keeps a document out of that cache.
 */
test("a page is restored unchanged from the browser's back/forward cache, and its links work", async () => {
  const found = findChromiumWithWindows();
  if (found.kind === "missing") throw new Error(found.why);
  await using app = await startApp({ app: "tests/fixtures/walk" });
  const browser = await chromium.launch({
    executablePath: found.path,
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`${app.url}/plain`);
    await page.locator("html[data-holdfast=alive]").waitFor();
    await page.mouse.move(300, 300);
    await page.locator("#holdfast-announcer").waitFor({ state: "attached" });
    await page.evaluate(() => {
      document.body.dataset.kept = "yes";
    });
    await page.goto("about:blank");
    // Delayed, so that this call has ended before the page is gone.
    await page.evaluate(() => void setTimeout(() => history.back(), 100));
    await expect.poll(() => page.url()).toContain("/plain");
    await page.locator("body[data-kept=yes]").waitFor();
    await page.getByRole("link", { name: "Tall", exact: true }).click();
    await page.getByRole("heading", { name: "Tall" }).waitFor();
    expect(await page.evaluate(() => document.body.dataset.kept)).toBe("yes");
  } finally {
    await browser.close();
  }
});
