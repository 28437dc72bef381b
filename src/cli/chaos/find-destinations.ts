import type { Browser } from "playwright-core";
import { type ClickDestination, openHydrated, readPage } from "./try-click.ts";

/** Finds the links to other pages of the application, each with the page it shows without a fault. */
export async function findDestinations(browser: Browser, from: string, atMost: number): Promise<ClickDestination[]> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await openHydrated(page, from);
    const hrefs = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLAnchorElement>("a[href]")]
        .filter(
          (link) => link.origin === location.origin && link.pathname !== location.pathname && link.checkVisibility(),
        )
        .filter((link) => !link.target && !link.hasAttribute("download") && !("hard" in link.dataset))
        .map((link) => link.getAttribute("href") ?? ""),
    );
    const found: ClickDestination[] = [];
    for (const href of new Set(hrefs)) {
      if (found.length === atMost) break;
      // Skips targets that the framework does not render, and pages that fail without a fault.
      const answer = await page.request.get(new URL(href, from).href).catch(() => undefined);
      if (!answer?.ok() || !(await answer.text()).includes('id="holdfast-page"')) continue;
      await page.goto(new URL(href, from).href);
      found.push({ href, ...(await readPage(page)) });
    }
    return found;
  } finally {
    await context.close();
  }
}
